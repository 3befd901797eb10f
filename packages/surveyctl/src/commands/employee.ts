import type { Access } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { Option, type Command } from 'commander';
import { accountOption, parsePositive } from '../arguments.ts';
import { connected } from '../connected.ts';
import { print, renderFields, renderTable } from '../output.ts';

interface AccessOptions {
  account: number;
  importId?: string;
  id?: number;
  limit: number;
}

const HELP = `
Values of one attribute widen what an employee sees, several attributes narrow it. What a Respondee or a removed employee was granted is kept, and has no effect.

Examples:
  $ npx surveyctl employee access --account 1 --import-id E-1017
  $ npx surveyctl employee access --account 1 --id 1000000012 --limit 10000 --json`;

export function addEmployeeCommands(program: Command): void {
  const employee = program.command('employee').description('employees: whose data each may see');
  employee
    .command('access')
    .description('show what an employee was granted, and whom that lets the employee see')
    .addOption(accountOption())
    .addOption(new Option('--import-id <id>', 'the employee, as the import API calls it').conflicts('id'))
    .addOption(new Option('--id <id>', 'the employee, as GET /v1/employees shows it').argParser(parsePositive))
    .addOption(new Option('--limit <count>', 'list so many of those seen').argParser(parsePositive).default(20))
    .addHelpText('after', HELP)
    .action(
      connected<[AccessOptions]>(async (admin, command, { account, importId, id, limit }) => {
        const access = await admin.call('showAccess', {
          account_id: account,
          import_id: importId ?? null,
          employee_id: id ?? null,
          limit,
        });
        print(command, accessJson(access), () => renderAccess(access));
      }),
    );
}

function renderAccess(access: Access): string {
  const granted = access.grants.map(({ attribute, values }) => `${attribute}: ${values.join(' or ')}`).join('; and ');
  const fields = renderFields({
    employee: String(access.employee_id) + (access.is_deleted ? ' (removed)' : ''),
    role: access.role ?? '-',
    granted: access.all_data ? 'everybody' : granted === '' ? 'nobody' : granted,
    sees: String(access.sees_total),
  });
  const rows = access.sees.map(({ employee_id, import_id }) => [String(employee_id), import_id ?? '-']);
  return rows.length === 0 ? fields : `${fields}\n\n${renderTable(['SEES', 'IMPORT ID'], rows)}`;
}

function accessJson({ employee_id, role, is_deleted, all_data, grants, sees_total, sees }: Access): object {
  const seen = sees.map((one) => ({ employee_id: one.employee_id, import_id: one.import_id ?? null }));
  return { employee_id, role: role ?? null, is_deleted, all_data, grants, sees_total, sees: seen };
}

import type { Access, Employee, VisibleEmployee, Supervisor } from '@survey/proto/admin/v1/admin.ts';
import { Option, type Command } from 'commander';
import { accountOption, parsePositive } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print, renderFields, renderTable } from '../output.ts';
import { addEmployeeErase } from './employee-erase.ts';
import { addEmployeeRekey } from './employee-rekey.ts';

interface EmployeeOptions {
  account: number;
  importId?: string;
  id?: number;
}

interface AccessOptions extends EmployeeOptions {
  limit: number;
}

const SHOW_HELP = `
GET /v1/employees returns names, e-mail address and attributes.

Examples:
  $ npx surveyctl employee show --account 1 --import-id E-1017
  $ npx surveyctl employee show --account 1 --id 1000000012 --json`;

const ACCESS_HELP = `
Several values of one attribute extend the visible employees; several attributes restrict them. Grants of a Respondee or an
offboarded employee are stored but have no effect.

Examples:
  $ npx surveyctl employee access --account 1 --import-id E-1017
  $ npx surveyctl employee access --account 1 --id 1000000012 --limit 10000 --json`;

export function addEmployeeCommands(program: Command): void {
  const employee = program.command('employee').description('show, re-key, export and erase employees');
  addEmployeeOptions(employee.command('show'))
    .description('show the origin, role, language and supervisor of an employee')
    .addHelpText('after', SHOW_HELP)
    .action(
      withConnection<[EmployeeOptions]>(async (admin, command, { account, importId, id }) => {
        const employee = await admin.showEmployee({
          account_id: account,
          import_id: importId ?? null,
          employee_id: id ?? null,
        });
        print(command, employeeJson(employee), () => renderEmployee(employee));
      }),
    );
  addEmployeeOptions(employee.command('access'))
    .description('show the grants of an employee and the employees visible through them')
    .addOption(new Option('--limit <count>', 'maximum number of visible employees to list').argParser(parsePositive).default(20))
    .addHelpText('after', ACCESS_HELP)
    .action(
      withConnection<[AccessOptions]>(async (admin, command, { account, importId, id, limit }) => {
        const access = await admin.showAccess({
          account_id: account,
          import_id: importId ?? null,
          employee_id: id ?? null,
          limit,
        });
        print(command, accessJson(access), () => renderAccess(access));
      }),
    );
  addEmployeeErase(employee);
  addEmployeeRekey(employee);
}

function addEmployeeOptions(command: Command): Command {
  return command
    .addOption(accountOption())
    .addOption(new Option('--import-id <id>', 'import_id of the employee').conflicts('id'))
    .addOption(new Option('--id <id>', 'id of the employee in GET /v1/employees').argParser(parsePositive));
}

function renderEmployee({ employee_id, import_id, is_deleted, created_via, role, language, supervisor }: Employee): string {
  return renderFields({
    employee: idOf({ employee_id, is_deleted }),
    'import id': import_id ?? '-',
    'created via': created_via,
    role: role ?? '-',
    language: language ?? '-',
    supervisor: supervisor == null ? '-' : `${idOf(supervisor)}, import id ${supervisor.import_id ?? '-'}`,
  });
}

function employeeJson({ employee_id, import_id, created_via, is_deleted, role, language, supervisor }: Employee): object {
  return {
    employee_id,
    import_id: import_id ?? null,
    created_via,
    is_deleted,
    role: role ?? null,
    language: language ?? null,
    supervisor: supervisor == null ? null : withNull(supervisor),
  };
}

const withNull = ({ employee_id, import_id, is_deleted }: VisibleEmployee | Supervisor): object => ({
  employee_id,
  import_id: import_id ?? null,
  is_deleted,
});

function idOf({ employee_id, is_deleted }: Pick<Employee, 'employee_id' | 'is_deleted'>): string {
  return `${employee_id}${is_deleted ? ' (offboarded)' : ''}`;
}

function renderAccess(access: Access): string {
  const granted = access.grants.map(({ attribute, values }) => `${attribute}: ${values.join(' or ')}`).join('; and ');
  const fields = renderFields({
    employee: idOf(access),
    role: access.role ?? '-',
    granted: access.all_data ? 'all employees' : granted === '' ? 'none' : granted,
    sees: String(access.sees_total),
  });
  const rows = access.sees.map((seen) => [idOf(seen), seen.import_id ?? '-']);
  return rows.length === 0 ? fields : `${fields}\n\n${renderTable(['SEES', 'IMPORT ID'], rows)}`;
}

function accessJson({ employee_id, role, is_deleted, all_data, grants, sees_total, sees }: Access): object {
  return { employee_id, role: role ?? null, is_deleted, all_data, grants, sees_total, sees: sees.map(withNull) };
}

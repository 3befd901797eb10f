import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Access,
  Employee,
  EmployeeErasure,
  EmployeeKey,
  Supervisor,
  VisibleEmployee,
} from '@survey/proto/admin/v1/admin.ts';
import { type Command, Option } from 'commander';
import { accountOption, parsePositive } from '../arguments.ts';
import { CommandError, EXIT } from '../command-error.ts';
import type { AccountAdmin } from '../connection.ts';
import { withConnection } from '../with-connection.ts';
import { writeNewFile } from '../new-file.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';
import { openProgress } from '../progress.ts';
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

interface PersonOptions {
  account: number;
  id?: number;
  importId?: string;
  email?: string;
}

interface EraseOptions extends PersonOptions {
  dryRun?: boolean;
  allowReturn?: boolean;
  wait: boolean;
}

const POLL_MS = 500;

const ERASE_HELP = `
Erasing begins when no import of the account is running, and cannot be undone. Answers stay as those of an unknown respondent, or
are deleted: see settings set --erased-answers. Later snapshots skip the employee, unless --allow-return is given, now or later.

Examples:
  $ npx surveyctl employee erase --account 1 --import-id E-1017 --dry-run
  $ npx surveyctl employee erase --account 1 --email jane@example.org`;

const EXPORT_HELP = `
Writes one JSON file, readable by this user only, as docs/employee-data.schema.json describes it. It contains the employee's
answers and texts and is for the employee only. The export is audited.

Example:
  $ npx surveyctl employee export --account 1 --id 1000000012 employee.json`;

/** Adds `employee erase`, `employee export` and `employee replay-erasures`. */
function addEmployeeErase(employee: Command): void {
  addPersonOptions(employee.command('erase'))
    .description('erase an employee in all services, for good')
    .option('--dry-run', 'count what would be erased, except answers')
    .option('--allow-return', 'let later snapshots contain the employee')
    .option('--no-wait', 'return when the erasure is requested')
    .addHelpText('after', ERASE_HELP)
    .action(
      withConnection<[EraseOptions]>(async (admin, command, options) => {
        const { account, dryRun = false, allowReturn = false, wait } = options;
        const request = { account_id: account, employee: keyOf(options), dry_run: dryRun, may_return: allowReturn };
        const requested = await admin.eraseEmployee(request);
        const erasure = wait && !dryRun ? await finished(admin, account, requested) : requested;
        print(command, erasure, () => render(erasure));
      }),
    );
  employee
    .command('replay-erasures')
    .description('after a restore of the database, repeat all erasures that it does not contain')
    .action(
      withConnection(async (admin, command) => {
        const { erasures } = await admin.replayEmployeeErasures({});
        print(command, { erasures }, () =>
          renderTable(
            ['ACCOUNT', 'EMPLOYEE', 'RECORDED', 'OUTCOME'],
            erasures.map((one) => [String(one.account_id), String(one.employee_id), renderTime(one.recorded_at), one.outcome]),
          ),
        );
      }),
    );
  addPersonOptions(employee.command('export'))
    .argument('<file>', 'new file')
    .description('write everything that all services hold about an employee into a file')
    .addHelpText('after', EXPORT_HELP)
    .action(
      withConnection<[string, PersonOptions]>(async (admin, command, file, options) => {
        const { employee_id, json } = await admin.exportEmployee({ account_id: options.account, employee: keyOf(options) });
        const text = `${JSON.stringify(JSON.parse(json), undefined, 2)}\n`;
        await writeNewFile(file, text);
        print(command, { file, employee_id }, () => `${file} written`);
      }),
    );
}

function addPersonOptions(command: Command): Command {
  return command
    .addOption(accountOption())
    .addOption(new Option('--id <id>', 'id of the employee in GET /v1/employees').argParser(parsePositive))
    .addOption(new Option('--import-id <id>', 'import_id of the employee').conflicts('id'))
    .addOption(new Option('--email <address>', 'e-mail address of the employee').conflicts(['id', 'importId']));
}

function keyOf({ id, importId, email }: PersonOptions): EmployeeKey {
  if (id === undefined && importId === undefined && email === undefined)
    throw new CommandError('one of --id, --import-id and --email is required', EXIT.usage);
  return { employee_id: id ?? null, import_id: importId ?? null, email: email ?? null };
}

async function finished(admin: AccountAdmin, accountId: number, requested: EmployeeErasure): Promise<EmployeeErasure> {
  using progress = openProgress(process.stderr);
  for (let erasure = requested; ;) {
    if (erasure.state === 'finished') return erasure;
    const activity = erasure.state === 'waiting' ? 'waiting for an import' : `erasing: ${erasure.pending_schemas.join(', ')}`;
    progress.show({ activity, done: 0, total: undefined, detail: '' });
    await sleep(POLL_MS);
    erasure = await admin.showEmployeeErasure({ account_id: accountId, employee_id: erasure.employee_id });
  }
}

function render(erasure: EmployeeErasure): string {
  const { employee_id, state, answers, may_return, found, ...times } = erasure;
  const fields = renderFields({
    employee: String(employee_id),
    state,
    answers,
    'may return': may_return ? 'yes' : 'no',
    requested: renderTime(times.requested_at),
    erased: renderTime(times.erased_at),
    finished: renderTime(times.finished_at),
  });
  if (found.length === 0) return fields;
  return `${fields}\n\n${renderTable(
    ['FOUND', 'NUMBER'],
    found.map(({ table, rows }) => [table, String(rows)]),
  )}`;
}

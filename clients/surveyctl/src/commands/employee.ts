import { setTimeout as sleep } from 'node:timers/promises';
import type { Access, Employee, EmployeeErasure, EmployeeKey } from '@survey/proto/admin/v1/admin.ts';
import { ACCOUNT, parsePositive } from '../arguments.ts';
import { argument, command, flag, group, optional, unless, withDefault } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import type { AccountAdmin } from '../connection.ts';
import { writeNewFile, renderFields, renderTable, renderTime } from '../output.ts';
import { openProgress } from '../progress.ts';
import { rekey } from './employee-rekey.ts';

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

const EMPLOYEE = {
  account_id: ACCOUNT,
  import_id: unless(['id'], optional('--import-id <id>', 'import_id of the employee')),
  employee_id: optional('--id <id>', 'id of the employee in GET /v1/employees', parsePositive),
};

const show = command('show', {
  about: 'show the origin, role, language and supervisor of an employee',
  help: SHOW_HELP,
  inputs: EMPLOYEE,
  run: async (admin, { account_id, ...key }) => {
    const employee = await admin.showEmployee({ account_id, ...keyOf(key) });
    return { json: employee, text: () => renderEmployee(employee) };
  },
});

const access = command('access', {
  about: 'show the grants of an employee and the employees visible through them',
  help: ACCESS_HELP,
  inputs: {
    ...EMPLOYEE,
    limit: withDefault('--limit <count>', 'maximum number of visible employees to list', 20, parsePositive),
  },
  run: async (admin, { account_id, limit, ...key }) => {
    const access = await admin.showAccess({ account_id, limit, ...keyOf(key) });
    return { json: access, text: () => renderAccess(access) };
  },
});

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

const PERSON = {
  account_id: ACCOUNT,
  employee_id: EMPLOYEE.employee_id,
  import_id: EMPLOYEE.import_id,
  email: unless(['id', 'importId'], optional('--email <address>', 'e-mail address of the employee')),
};

type Key = { readonly [Name in keyof EmployeeKey]?: EmployeeKey[Name] | undefined };

function keyOf({ employee_id = null, import_id = null, email = null }: Key): EmployeeKey {
  return { employee_id, import_id, email };
}

const erase = command('erase', {
  about: 'erase an employee in all services, for good',
  help: ERASE_HELP,
  inputs: {
    ...PERSON,
    dry_run: flag('--dry-run', 'count what would be erased, except answers'),
    may_return: flag('--allow-return', 'let later snapshots contain the employee'),
    waits: flag('--no-wait', 'return when the erasure is requested'),
  },
  run: async (admin, { account_id, dry_run, may_return, waits, ...key }) => {
    const requested = await admin.eraseEmployee({ account_id, employee: requireKey(key), dry_run, may_return });
    const erasure = waits && !dry_run ? await finished(admin, account_id, requested) : requested;
    return { json: erasure, text: () => render(erasure) };
  },
});

const replayErasures = command('replay-erasures', {
  about: 'after a restore of the database, repeat all erasures that it does not contain',
  run: async (admin) => {
    const { erasures } = await admin.replayEmployeeErasures({});
    const rows = erasures.map((one) => [
      String(one.account_id),
      String(one.employee_id),
      renderTime(one.recorded_at),
      one.outcome,
    ]);
    return { json: { erasures }, text: () => renderTable(['ACCOUNT', 'EMPLOYEE', 'RECORDED', 'OUTCOME'], rows) };
  },
});

const exportEmployee = command('export', {
  about: 'write everything that all services hold about an employee into a file',
  help: EXPORT_HELP,
  inputs: { file: argument('<file>', 'new file'), ...PERSON },
  run: async (admin, { file, account_id, ...key }) => {
    const { employee_id, json } = await admin.exportEmployee({ account_id, employee: requireKey(key) });
    const text = `${JSON.stringify(JSON.parse(json), undefined, 2)}\n`;
    await writeNewFile(file, text);
    return { json: { file, employee_id }, text: () => `${file} written` };
  },
});

export const employee = group('employee', 'show, re-key, export and erase employees', [
  show,
  access,
  erase,
  replayErasures,
  exportEmployee,
  rekey,
]);

function requireKey(key: Key): EmployeeKey {
  if (Object.values(key).every((value) => value === undefined))
    throw new CommandError('one of --id, --import-id and --email is required', EXIT.usage);
  return keyOf(key);
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

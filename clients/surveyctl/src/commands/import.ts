import type { ListOffboardedResponse } from '@survey/proto/admin/v1/admin.ts';
import type { ImportProgress } from '@survey/proto/common/v1/import_outcome.ts';
import { ACCOUNT, parsePositive, parseUuid } from '../arguments.ts';
import { argument, command, example, group, localCommand, withDefault } from '../command.ts';
import { CommandError, describeError, EXIT } from '../command-error.ts';
import { jsonOutput, textOutput } from '../dry-run/dry-run-output.ts';
import type { ConnectionOptions } from '../find-account-admin.ts';
import {
  readImport,
  readSummary,
  IMPORT_HEAD,
  outcomeJson,
  renderImportRow,
  renderOutcome,
  renderSummary,
  summaryJson,
} from '../import-rendering.ts';
import { openSource } from '../load/source.ts';
import { renderTable } from '../output.ts';
import { openProgress, type Step } from '../progress.ts';

const UUID = argument('<uuid>', 'import_uuid of the import', parseUuid);

const list = command('list', {
  about: 'list the imports of an account, newest first',
  help: example('import list --account 1 --limit 5'),
  inputs: {
    account_id: ACCOUNT,
    limit: withDefault('--limit <n>', 'maximum number of imports, up to 1000', 20, parsePositive),
  },
  run: async (admin, request) => {
    const { imports } = await admin.listImports(request);
    return { json: { imports }, text: () => renderTable(IMPORT_HEAD, imports.map(renderImportRow)) };
  },
});

const show = command('show', {
  about: 'show the outcome of an import; with --json also the result of every record except unchanged ones',
  help: example('import show 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1 --json'),
  inputs: { uuid: UUID, account: ACCOUNT },
  run: async (admin, { uuid, account }) => {
    const outcome = await readImport(admin, account, uuid);
    return { json: outcomeJson(outcome), text: () => renderOutcome(outcome) };
  },
});

const ALLOW_DELETES_HELP = `
Overrides the deletion threshold for one import that would offboard more employees than it allows, because these employees have
left. The threshold applies again from the next import on. The audit log records the operator.

A cancelled import runs again as a new import, whose id is printed. A queued import is marked and keeps its id. The override is
rejected while an import is running, after a later import was accepted (an old snapshot must not overwrite a newer one), when the
threshold was not the only reason, when the import was overridden before, and when its snapshot has been deleted.

Exit codes: 0 overridden, 1 rejected. To follow the import, use: import watch

Example:
  $ npx surveyctl import allow-deletes 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1`;

const allowDeletes = command('allow-deletes', {
  about: 'override the deletion threshold for one import',
  help: ALLOW_DELETES_HELP,
  inputs: { uuid: argument('<uuid>', 'import_uuid of the cancelled import', parseUuid), account: ACCOUNT },
  run: async (admin, { uuid, account }) => {
    const { import_uuid } = await admin.allowDeletes({ account_id: account, import_uuid: uuid });
    const isNew = import_uuid !== uuid;
    const effect = isNew ? 'the snapshot runs again as a new import' : 'the threshold is overridden for the queued import';
    const next = `follow it with: npx surveyctl import watch ${import_uuid} --account ${account}`;
    const json = { import_uuid, rerun_of: isNew ? uuid : null };
    return { json, text: () => `${import_uuid}\n\n${effect}; ${next}` };
  },
});

const offboarded = command('offboarded', {
  about: 'list the employees that an import offboarded or would have offboarded, and their common attribute values',
  help: example('import offboarded 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1'),
  inputs: {
    import_uuid: argument('<uuid>', 'import_uuid of the import (see import list)', parseUuid),
    account_id: ACCOUNT,
    limit: withDefault('--limit <n>', 'maximum number of employees, up to 10000', 50, parsePositive),
  },
  run: async (admin, request) => {
    const offboarded = await admin.listOffboarded(request);
    return { json: offboarded, text: () => renderOffboarded(offboarded) };
  },
});

function renderOffboarded({ employees, total, shared }: ListOffboardedResponse): string {
  const rows = employees.map(({ employee_id, import_id, name }) => [String(employee_id), import_id ?? '', name]);
  const values = shared.map(({ attribute, value, offboarded, having }) => [attribute, value, String(offboarded), String(having)]);
  return [
    renderTable(['EMPLOYEE', 'IMPORT_ID', 'NAME'], rows),
    `${employees.length} of ${total} employees`,
    renderTable(['ATTRIBUTE', 'VALUE', 'OFFBOARDED', 'HAVING'], values),
  ].join('\n\n');
}

const DRY_RUN_HELP = `
The file is a body of POST /v1/employees/imports, plain or gzip. It is validated and applied like an import, in a transaction that
is rolled back: no data changes, and no event or mail is sent. The outcome has the format of import show.

A dry run is rejected while an import of the account is running, and cancelled when one is accepted. It takes as long as the import.
One dry run per account and two in total run at a time; further ones are queued.

Exit codes: 0 the import would be applied, 3 it would be cancelled, 1 it would be rejected or the dry run failed (with --json,
"state" is "rejected" or "failed").

Examples:
  $ npx surveyctl import dry-run snapshot.json.gz --account 1
  $ curl -s https://hr.example.com/snapshot | npx surveyctl import dry-run - --account 1 --json`;

// Connects by itself, because with --json it also prints why it failed.
const dryRun = localCommand('dry-run', {
  about: 'report what an import of a snapshot would do, without changing anything',
  help: DRY_RUN_HELP,
  inputs: { file: argument('<file>', 'snapshot, plain or gzip, or - for standard input'), accountId: ACCOUNT },
  run: async ({ file, accountId }, command) => {
    const options = command.optsWithGlobals<ConnectionOptions & { json?: boolean }>();
    const output = options.json === true ? jsonOutput() : textOutput();
    try {
      // Loaded on demand: gRPC takes a moment.
      const [{ withAccountAdmin }, { dryRun }] = await Promise.all([import('../connection.ts'), import('../dry-run/dry-run.ts')]);
      await withAccountAdmin(options, async (admin) => {
        const source = await openSource(file);
        using progress = openProgress(process.stderr);
        process.exitCode = await dryRun(admin, { accountId, source, progress, output });
      });
    } catch (error) {
      output.failed(describeError(error, false).message);
      throw error;
    } finally {
      await output.end();
    }
  },
});

const WATCH_HELP = `
Exit codes: 0 applied, 3 cancelled, 4 failed.

Example:
  $ npx surveyctl import watch 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1 && echo applied`;

const watch = command('watch', {
  about: 'follow an import until it has ended',
  help: WATCH_HELP,
  inputs: { uuid: UUID, account: ACCOUNT },
  run: async (admin, { uuid, account }) => {
    {
      using progress = openProgress(process.stderr);
      for await (const step of admin.watchImport({ account_id: account, import_uuid: uuid })) progress.show(stepOf(step));
    }
    const summary = await readSummary(admin, account, uuid);
    process.exitCode = exitCodeOf(summary.state);
    return { json: summaryJson(summary), text: () => renderSummary(summary) };
  },
});

export const imports = group('import', 'show and manage imports of employees', [
  list,
  show,
  watch,
  allowDeletes,
  dryRun,
  offboarded,
]);

function stepOf({ state, phase, done, total }: ImportProgress): Step {
  return { activity: phase === '' ? state : phase, done, total, detail: `${done}/${total}` };
}

function exitCodeOf(state: string): number {
  if (state === 'applied') return EXIT.done;
  if (state === 'cancelled') return EXIT.importCancelled;
  if (state === 'failed') return EXIT.importFailed;
  throw new CommandError(`cannot follow the import to its end: it is ${state}`);
}

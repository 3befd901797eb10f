import type { RekeyRefusalCode } from '@survey/formats/import-reasons.ts';
import type { RekeyOutcome, RekeyRefusal } from '@survey/proto/common/v1/rekeying.ts';
import { ACCOUNT } from '../arguments.ts';
import { argument, command, flag, optional } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { renderFields, renderTable } from '../output.ts';
import { openProgress } from '../progress.ts';
import { readMap } from '../rekey/read-map.ts';

const HELP = `
The map is CSV with the columns old_import_id and new_import_id (another HR system), or email and new_import_id (employees from files
or from the application, whom the import then manages). All rows are applied, or none. Nothing else of an employee changes,
and for 30 days facts that name the old import_id still find the employee.

Before the change, a map that undoes it is written next to the map. It contains import_ids: delete it when the next import has gone
well. Always try a map with --dry-run first; docs/runbooks/change-the-hr-system.md has all steps.

Exit codes: 0 applied, or would be; 1 refused.

Examples:
  $ npx surveyctl employee rekey --account 1 map.csv --dry-run
  $ npx surveyctl employee rekey --account 1 map.csv --reason "new HR system, ticket 17"
  $ npx surveyctl employee rekey --account 1 map.undo.csv --reason "wrong map"`;

/** `employee rekey`, which gives employees the import_ids of another HR system. */
export const rekey = command('rekey', {
  about: 'give employees other import_ids, such as those of a new HR system',
  help: HELP,
  inputs: {
    file: argument('<map>', 'CSV file with the columns old_import_id (or email) and new_import_id'),
    accountId: ACCOUNT,
    isDryRun: flag('--dry-run', 'report what the map would change, without changing anything'),
    undo: optional('--undo <file>', 'new file for the map that undoes this one (default: next to the map)'),
  },
  run: async (admin, { file, accountId, isDryRun, undo }, command) => {
    const { reason } = command.optsWithGlobals<{ reason?: string }>();
    if (!isDryRun && reason === undefined)
      throw new CommandError('--reason is required, because the audit log records it', EXIT.usage);
    const map = await readMap(file);
    // A map that gives employees back to their files needs no undo map: the map that took them
    // over can be applied again.
    const isRelease = map.rows.some(({ created_via }) => created_via != null && created_via !== 'import_api');
    const undoFile = isRelease ? undefined : (undo ?? `${file.replace(/\.csv$/i, '')}.undo.csv`);
    // Loaded on demand: gRPC takes a moment.
    const { tryMap, applyMap } = await import('../rekey/rekey.ts');
    using progress = openProgress(process.stderr);
    const total = map.rows.length;
    const onProgress = (activity: string, done: number): void =>
      progress.show({ activity, done, total, detail: `${done}/${total}` });
    const rekeying = { accountId, map, undoFile, onProgress };
    const tried = await tryMap(admin, rekeying);
    const isApplied = !isDryRun && tried.refusals_total === 0 && tried.changed > 0;
    const outcome = isApplied ? await applyMap(admin, rekeying, tried) : tried;
    const result = { isApplied, undoFile: isApplied ? undoFile : undefined };
    if (outcome.refusals_total > 0) process.exitCode = EXIT.failed;
    return { json: toJson(outcome, result), text: () => render(outcome, result) };
  },
});

interface Result {
  readonly isApplied: boolean;
  readonly undoFile: string | undefined;
}

function toJson({ rows, changed, reused, refusals, refusals_total }: RekeyOutcome, { isApplied, undoFile }: Result): object {
  const reasons = refusals.map((one) => ({ line: one.line, code: one.code, about: one.about ?? null, reason: describe(one) }));
  return { applied: isApplied, rows, changed, reused, refusals: reasons, refusals_total, undo: undoFile ?? null };
}

function render({ rows, changed, reused, refusals, refusals_total }: RekeyOutcome, { isApplied, undoFile }: Result): string {
  if (refusals_total > 0) {
    const rest = refusals_total - refusals.length;
    return [
      `refused, nothing was changed: ${refusals_total} faults in ${rows} rows`,
      renderTable(
        ['LINE', 'REASON'],
        refusals.map((one) => [String(one.line), describe(one)]),
      ),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ].join('\n\n');
  }
  return renderFields({
    rows: String(rows),
    [isApplied ? 'changed' : 'would change']: String(changed),
    unchanged: String(rows - changed),
    ...(reused > 0 && { 'ids that another employee had': `${reused}: facts that name them mean their new employees at once` }),
    ...(undoFile !== undefined && { 'to undo': `surveyctl employee rekey … ${undoFile}` }),
  });
}

const REASONS: Readonly<Record<RekeyRefusalCode, string>> = {
  key_blank: 'the first column is blank',
  key_too_long: 'the first column has more than 255 characters',
  key_repeated: 'the employee is named twice, first on line',
  old_id_unknown: 'no employee of the import has this old_import_id',
  email_unknown: 'no active employee has this e-mail address',
  already_imported: 'the employee is managed by the import already, so the map must name the old_import_id; it is employee',
  employee_changed: 'somebody else has this import_id now, employee',
  new_id_blank: 'new_import_id is blank',
  new_id_too_long: 'new_import_id has more than 255 characters',
  new_id_repeated: 'new_import_id appears twice, first on line',
  new_id_taken: 'new_import_id belongs to somebody whom the map does not change, employee',
  new_id_erased: 'new_import_id belonged to an employee who was erased',
  created_via_invalid: 'created_via must be import_api, app, file, sftp or hcm',
};

function describe({ code, about }: RekeyRefusal): string {
  // A later release of the service may have further codes.
  const reason = Object.entries(REASONS).find(([name]) => name === code)?.[1] ?? code;
  return about == null ? reason : `${reason} ${about}`;
}

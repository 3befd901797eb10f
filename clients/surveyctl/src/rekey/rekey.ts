import { open, rm } from 'node:fs/promises';
import type { RekeyEmployeesRequest } from '@survey/proto/admin/v1/admin.ts';
import type { RekeyOutcome } from '@survey/proto/common/v1/rekeying.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { CommandError } from '../command-error.ts';
import type { AccountAdmin } from '../connection.ts';
import { joinLine, type RekeyMap } from './read-map.ts';

interface Rekeying {
  readonly accountId: number;
  readonly map: RekeyMap;
  // File for the map that undoes this one; undefined if another map does.
  readonly undoFile: string | undefined;
  readonly onProgress: (activity: string, done: number) => void;
}

const ROWS_PER_MESSAGE = 1_000;

/** Tries the map: returns what applying it would change, or why it is refused. */
export const tryMap = (admin: AccountAdmin, rekeying: Rekeying): Promise<RekeyOutcome> =>
  admin.rekeyEmployees(messagesOf(rekeying, { isDryRun: true, plan: Buffer.alloc(0) }));

/**
 * Applies a map that was tried. The map that undoes it is written first, so that no change is made
 * which cannot be undone; it goes if nothing was changed.
 */
export async function applyMap(admin: AccountAdmin, rekeying: Rekeying, tried: RekeyOutcome): Promise<RekeyOutcome> {
  const { undoFile } = rekeying;
  if (undoFile !== undefined) await writeUndoMap(undoFile, rekeying.map, tried);
  try {
    return await admin.rekeyEmployees(messagesOf(rekeying, { isDryRun: false, plan: tried.plan }));
  } catch (error) {
    // A service that is busy, or did not answer, may have made the change.
    const isUnchanged = error instanceof ApplicationError && error.code !== 'busy';
    if (undoFile === undefined) throw error;
    if (!isUnchanged)
      throw new CommandError(`${describe(error)}; ${undoFile} undoes the change if it was made`, undefined, { cause: error });
    await rm(undoFile);
    throw error;
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function* messagesOf(
  { accountId, map, onProgress }: Rekeying,
  { isDryRun, plan }: { isDryRun: boolean; plan: Uint8Array },
): AsyncGenerator<RekeyEmployeesRequest> {
  const { isByEmail, rows } = map;
  yield {
    head: { account_id: accountId, by_email: isByEmail, dry_run: isDryRun, expected_plan: Buffer.from(plan), rows: rows.length },
  };
  const activity = isDryRun ? 'trying the map' : 'applying the map';
  for (let sent = 0; sent < rows.length; sent += ROWS_PER_MESSAGE) {
    onProgress(activity, sent);
    yield { rows: { rows: rows.slice(sent, sent + ROWS_PER_MESSAGE) } };
  }
  onProgress(activity, rows.length);
}

const UNDO_HEAD = 'old_import_id,new_import_id,employee_id,created_via';
const LINES_AT_ONCE = 10_000;

// Each line names its employee, so that the map is refused once somebody else has the import_id.
async function writeUndoMap(undoFile: string, map: RekeyMap, { employee_ids: employeeIds, former }: RekeyOutcome): Promise<void> {
  await using file = await open(undoFile, 'wx', 0o600).catch((cause: unknown) => {
    throw new CommandError(`cannot write ${undoFile}, which would undo the change: name another file with --undo`, undefined, {
      cause,
    });
  });
  let lines = [UNDO_HEAD];
  for (const [index, { key, new_import_id: newImportId }] of map.rows.entries()) {
    const { import_id: importId, created_via: createdVia } = former[index] ?? { import_id: key, created_via: 'import_api' };
    lines.push(joinLine([newImportId, importId ?? '', employeeIds[index] ?? 0, createdVia]));
    if (lines.length < LINES_AT_ONCE) continue;
    await file.write(`${lines.join('\n')}\n`);
    lines = [];
  }
  if (lines.length > 0) await file.write(`${lines.join('\n')}\n`);
  await file.sync();
}

import type { AccountWork } from '@survey/bus/account-work.ts';
import { allowLongStatements, inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { reasonWithheld } from '../rules/disclosure-guard.ts';
import { nextCycle, readCells, saveBlocks, saveJudged, settleCycles } from '../sql/make-blocks.ts';

// Cycles settle hours after they close, so a minute more does not matter.
const POLL_MS = 60_000;
const MAX_STATEMENT_MS = 60_000;

/**
 * Creates the account work that makes blocks of answers for the disclosure guard, when cycles
 * settle and when late answers arrive (docs/rules/guard.md). Accounts without the guard have none.
 */
export function blockWork(pool: Pool): AccountWork {
  return {
    kind: 'blocks',
    wokenBy: 'events.settings.changed',
    sweep: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from scoring.accounts_with_guard() as id');
      return rows.map(({ id }) => id);
    },
    work: (accountId) => inAccount(pool, accountId, (tx) => makeBlocks(tx, accountId)),
  };
}

/** Makes the blocks of one cycle. Returns as AccountWork.work does. */
export async function makeBlocks(tx: Client, accountId: number): Promise<number | undefined> {
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  const settled = await settleCycles(tx, accountId);
  if (settled === undefined) return undefined;
  const cycleId = await nextCycle(tx, accountId, settled);
  if (cycleId === undefined) return POLL_MS;
  const cells = await readCells(tx, accountId, cycleId);
  const reasons = Map.groupBy(cells, (cell) => {
    const reason = reasonWithheld(cell);
    return reason !== undefined && cell.hasBlock ? 'late' : reason;
  });
  const questionIds = (reasons.get(undefined) ?? []).map(({ questionId }) => questionId);
  await saveBlocks(tx, { accountId, cycleId, questionIds, nextResponse: settled.responses });
  const count = (reason: 'too_few' | 'dominated' | 'late'): number => reasons.get(reason)?.length ?? 0;
  const withheld = { too_few: count('too_few'), dominated: count('dominated'), late: count('late') };
  await saveJudged(tx, { accountId, cycleId, ...settled, ...withheld });
  return 0;
}

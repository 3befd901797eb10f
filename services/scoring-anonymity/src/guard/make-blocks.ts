import type { AccountWork } from '@survey/bus/account-work.ts';
import { allowLongStatements, inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { formBlocks, reasonWithheld } from '../rules/disclosure-guard.ts';
import { nextCycle, readGroups, saveBlocks, saveJudged, settleCycles, type FreeGroup } from '../sql/make-blocks.ts';

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
  const cycle = { accountId, cycleId, filterOptionIds: settled.filterOptionIds };
  const cells = [...Map.groupBy(await readGroups(tx, cycle), ({ questionId }) => questionId).values()].map(divide);
  await saveBlocks(tx, { ...cycle, blocks: cells.flatMap(({ blocks }) => blocks), nextResponse: settled.responses });
  const count = (reason: Withheld): number => cells.filter(({ withheld }) => withheld === reason).length;
  const withheld = { too_few: count('too_few'), dominated: count('dominated'), late: count('late') };
  await saveJudged(tx, { ...cycle, ...settled, ...withheld });
  return 0;
}

type Withheld = 'too_few' | 'dominated' | 'late';

/** Divides the groups of a cell into blocks, or returns why it is withheld. */
function divide(groups: readonly FreeGroup[]): { blocks: FreeGroup[][]; withheld?: Withheld } {
  const [first] = groups;
  if (first === undefined) throw new Error('expected a group in every cell');
  const { configuredThreshold, number } = first;
  const blocks = formBlocks(configuredThreshold, groups).map((indexes) => indexes.flatMap((index) => groups[index] ?? []));
  if (blocks.length > 0) return { blocks };
  return { blocks, withheld: number === 0 ? 'late' : reasonWithheld(configuredThreshold, groups) };
}

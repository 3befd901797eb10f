import type { AccountAdmin } from '../connection.ts';
import type { RejectedLine, Tally } from './tally.ts';

const PAGE = 10_000;

/** Counts a load's rejected facts, and returns the first `kept` of them. */
export async function readDeadLetters(
  admin: AccountAdmin,
  { accountId, source }: { accountId: number; source: string },
  tally: Tally,
  kept: number,
): Promise<RejectedLine[]> {
  const request = { account_id: accountId, source };
  const rejected: RejectedLine[] = [];
  for (;;) {
    const limit = Math.min(PAGE, kept - rejected.length);
    const page = await admin.listDeadLetters({ ...request, limit, offset: rejected.length });
    if (rejected.length === 0) for (const { kind, lines } of page.counts) tally.rejectedByServices(kind, lines);
    rejected.push(...page.dead_letters);
    if (page.dead_letters.length === 0 || rejected.length >= Math.min(kept, page.total)) return rejected;
  }
}

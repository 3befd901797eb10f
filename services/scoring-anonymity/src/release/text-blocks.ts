import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { formBlocks } from '../rules/disclosure-guard.ts';
import { readTextThresholds } from './text-thresholds.ts';

/** Divides the texts of cells into blocks (rules GUARD-TEXTS-1 and GUARD-TEXTS-2). */
export function formTextBlocks(pool: Pool): Handlers<ScoringServiceDefinition>['formTextBlocks'] {
  return async ({ survey_id, cells }, call) => {
    const accountId = accountOf(call);
    const thresholds = await inAccountSnapshot(
      pool,
      accountId,
      (tx) => readTextThresholds(tx, accountId, [survey_id], 'strict'),
      call,
    );
    const threshold = thresholds.get(survey_id);
    return {
      cells: cells.map(({ groups }) => {
        const counts = groups.map(({ most_answers, ...group }) => ({ ...group, mostAnswers: most_answers }));
        const blocks = threshold === undefined ? [] : formBlocks(threshold, counts);
        return { blocks: blocks.map((indexes) => ({ groups: indexes })) };
      }),
    };
  };
}

import type { Client } from '@survey/postgres/database.ts';
import type { StageResult } from '../stages/pending.ts';
import { unchangedTexts } from '../stages/stage-definition.ts';

export interface AssignedTopic {
  readonly topicId: number;
  readonly score: number;
}

const DROP = `
delete from text.topic_assignment kept
where account_id = $1::bigint and answer = any($2::integer[]) and origin = 'auto'
  and (answer, topic_id) <> all (select * from unnest($3::integer[], $4::integer[]))`;

// A topic may have been merged in the meantime. Sentiment belongs to the pair.
const PUT = `
insert into text.topic_assignment as kept (account_id, answer, topic_id, origin, score, model_version)
select $1::bigint, f.answer, t.id, 'auto', f.score, $2::text
from unnest($3::integer[], $4::integer[], $5::real[]) f (answer, topic_id, score)
join text.topic t on t.account_id = $1::bigint and t.id = f.topic_id
on conflict (account_id, answer, topic_id) do update set score = excluded.score, model_version = excluded.model_version
where kept.origin = 'auto' and (kept.score, kept.model_version) is distinct from (excluded.score, excluded.model_version)`;

/**
 * Replaces the automatic topics of these answers; account admins' decisions, including removals, do
 * not change. Returns the ids of the answers whose texts are unchanged.
 */
export async function saveFoundTopics(
  tx: Client,
  accountId: number,
  modelVersion: string,
  done: readonly StageResult<readonly AssignedTopic[]>[],
): Promise<number[]> {
  const unchanged = await unchangedTexts(tx, accountId, done);
  const assignments = done
    .filter(({ id }) => unchanged.has(id))
    .flatMap(({ id, result }) => result.map(({ topicId, score }) => ({ answer: id, topicId, score })));
  const answers = assignments.map(({ answer }) => answer);
  const topicIds = assignments.map(({ topicId }) => topicId);
  await tx.query(DROP, [accountId, [...unchanged], answers, topicIds]);
  const scores = assignments.map(({ score }) => score);
  if (assignments.length > 0) await tx.query(PUT, [accountId, modelVersion, answers, topicIds, scores]);
  return [...unchanged];
}

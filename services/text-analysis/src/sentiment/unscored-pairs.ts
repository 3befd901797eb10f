import type { Client } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { queueAnswers } from '../stages/queue-answers.ts';

// $2: the scorer's version. A sentiment without a version was stated in a fact and is never
// replaced. A version without a sentiment marks a pair that this scorer could not score.
const UNSCORED = `
x.removed_at is null and (case when x.sentiment is null then x.sentiment_version is distinct from $2::text
                               else x.sentiment_version <> $2::text end)`;

export interface UnscoredPair {
  readonly answer: number;
  readonly topicId: number;
  // Question text by language; null while the question is unknown.
  readonly question: Readonly<Record<string, string>> | null;
}

/** Reads the pairs of these answers and their topics that this scorer has not scored. */
export async function readUnscoredPairs(
  tx: Client,
  accountId: number,
  version: string,
  answers: readonly number[],
): Promise<UnscoredPair[]> {
  const { rows } = await tx.query<UnscoredPair>(
    `select x.answer, x.topic_id as "topicId", q.name as question
     from unnest($3::integer[]) wanted (id)
     cross join lateral (
       select * from text.topic_assignment where account_id = $1::bigint and answer = wanted.id offset 0) x
     cross join lateral (select question_id from text.answer where account_id = $1::bigint and id = x.answer offset 0) a
     left join text.question q on q.account_id = $1::bigint and q.id = a.question_id
     where ${UNSCORED}
     order by x.answer, x.topic_id`,
    [accountId, version, answers],
  );
  return rows;
}

/** Queues the answers among these that have unscored pairs, due at once. */
export async function queueUnscored(tx: Client, accountId: number, version: string, answers: readonly number[]): Promise<void> {
  const pairs = await readUnscoredPairs(tx, accountId, version, answers);
  await queueAnswers(tx, accountId, ['sentiment'], [...new Set(pairs.map(({ answer }) => answer))]);
}

const QUEUE = `
insert into text.pending (account_id, stage, answer)
select distinct x.account_id, 'sentiment', x.answer
from text.topic_assignment x
cross join lateral (select from text.answer where account_id = $1::bigint and id = x.answer and content is not null offset 0) a
where x.account_id = $1::bigint and x.answer >= $3::integer and x.answer < $4::integer and ${UNSCORED}
  and not exists (select from text.given_up g where g.account_id = $1::bigint and g.stage = 'sentiment' and g.answer = x.answer offset 0)
on conflict do nothing`;

/**
 * Queues the answers whose id is at least `from` and below `to` and that have unscored pairs,
 * unless given up.
 */
export async function queueUnscoredIn(
  tx: Client,
  accountId: number,
  version: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await tx.query(QUEUE, [accountId, version, from, to]);
  await markDue(tx, 'text', 'dispatch', [accountId]);
}

interface ScoredPair {
  readonly answer: number;
  readonly topicId: number;
  // Null when the pair cannot be scored.
  readonly sentiment: string | null;
}

const SAVE = `
update text.topic_assignment x set sentiment = f.sentiment, sentiment_version = $2::text
from unnest($3::integer[], $4::integer[], $5::text[]) f (answer, topic_id, sentiment)
where x.account_id = $1::bigint and x.answer = f.answer and x.topic_id = f.topic_id and ${UNSCORED}`;

/** Saves sentiments of pairs that still exist and are unscored. */
export async function saveSentiments(
  tx: Client,
  accountId: number,
  version: string,
  pairs: readonly ScoredPair[],
): Promise<void> {
  await tx.query(SAVE, [
    accountId,
    version,
    pairs.map(({ answer }) => answer),
    pairs.map(({ topicId }) => topicId),
    pairs.map(({ sentiment }) => sentiment),
  ]);
}

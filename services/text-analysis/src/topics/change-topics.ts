import type { EventSubject } from '@survey/bus/events.ts';
import { enqueue } from '@survey/bus/outbox.ts';
import { type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { TopicEvent } from '@survey/proto/events/v1/events.ts';
import type { Topic, TopicChange, TopicKeywords } from '@survey/proto/text/v1/topics.ts';
import { conflict } from '@survey/rpc/application-error.ts';
import { accountOf, type Caller } from '@survey/rpc/call-context.ts';
import { topicKey } from '../rules/topic-key.ts';
import { type AccountState, lockAccountState, saveAccountState } from '../tables/account-state.ts';
import { type Keywords, lookUpTopic, type TopicRow } from './topics.ts';

export interface TopicContext {
  readonly pool: Pool;
  // Must be called after the commit, to publish the event and start a backfill.
  readonly wake: (accountId: number) => void;
}

/** State that a change works on; while it does, the account's topics and assignments are locked. */
interface TopicScope {
  readonly tx: Client;
  readonly accountId: number;
  readonly state: AccountState;
}

interface TopicMutation {
  readonly before?: TopicRow;
  readonly after: TopicRow;
  // Absent when nothing changed.
  readonly event?: { readonly subject: EventSubject & `events.topic.${string}`; readonly mergedTopicId?: number };
}

/** Changes an account's topics in one transaction and publishes an event with ids only. */
export async function changeTopics(
  { pool, wake }: TopicContext,
  caller: Caller,
  work: (scope: TopicScope) => Promise<TopicMutation>,
): Promise<TopicChange> {
  const accountId = accountOf(caller);
  const { before, after } = await inAccount(pool, accountId, async (tx) => {
    const state = await lockAccountState(tx, accountId);
    const change = await work({ tx, accountId, state });
    await saveAccountState(tx, accountId, state);
    await announce(tx, accountId, state, change);
    return change;
  });
  wake(accountId);
  return { before: before === undefined ? null : toTopicMessage(before), after: toTopicMessage(after) };
}

async function announce(tx: Client, accountId: number, state: AccountState, { after, event }: TopicMutation): Promise<void> {
  if (event === undefined) return;
  const payload = TopicEvent.encode({
    account_id: accountId,
    topic_id: after.topic_id,
    merged_topic_id: event.mergedTopicId,
    taxonomy_version: state.taxonomy_version,
  }).finish();
  await enqueue(tx, 'text', accountId, [{ subject: event.subject, payload }]);
}

/** Throws `conflict` when a topic has the name already, in any case (rule TEXTS-TOPICS-3). */
export async function checkNameIsFree({ tx, accountId }: TopicScope, name: string): Promise<void> {
  if ((await lookUpTopic(tx, accountId, name)) === undefined) return;
  throw conflict('another topic has this name (compared without case). To merge topics, use: topic merge', 'name_taken');
}

/** Topic as returned to operators. */
export function toTopicMessage({ keywords, ...topic }: TopicRow): Topic {
  const byLanguage = Object.entries(keywords).map(([language, words]): [string, TopicKeywords] => [
    language,
    { words: [...words] },
  ]);
  return { ...topic, keywords: Object.fromEntries(byLanguage) };
}

/**
 * Renames a topic. It is still matched by the old name, and facts with the old name still refer to
 * it.
 */
export async function renameTopic(tx: Client, accountId: number, topicId: number, name: string): Promise<void> {
  await keepOldName(tx, accountId, topicId, topicId);
  await tx.query(
    `update text.topic set name = $3::text, name_key = $4::text, match_names = coalesce(match_names, array[name])
     where account_id = $1::bigint and id = $2::integer`,
    [accountId, topicId, name, topicKey(name)],
  );
}

// Facts may still use the old name. The lowest revision lets any fact override this entry.
const KEEP = `
insert into text.topic_alias (account_id, name_key, topic_id, revision, digest)
select t.account_id, t.name_key, $3::integer, '-9223372036854775808'::bigint, '' from text.topic t where t.account_id = $1::bigint and t.id = $2::integer
on conflict (account_id, name_key) do nothing`;

/** Maps the topic's current name to `meantId` in facts, unless a fact has defined that name. */
export async function keepOldName(tx: Client, accountId: number, topicId: number, meantId: number): Promise<void> {
  await tx.query(KEEP, [accountId, topicId, meantId]);
}

/** Replaces the topic's keywords. */
export async function setSearchWords(
  tx: Client,
  accountId: number,
  topicId: number,
  { keywords, match_names }: { readonly keywords: Keywords; readonly match_names: readonly string[] },
): Promise<void> {
  await tx.query(
    `update text.topic set keywords = $3::jsonb, match_names = case when $4::text[] = array[name] then null else $4::text[] end, version = version + 1
     where account_id = $1::bigint and id = $2::integer`,
    [accountId, topicId, JSON.stringify(keywords), match_names],
  );
}

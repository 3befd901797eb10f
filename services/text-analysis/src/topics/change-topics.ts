import type { EventSubject } from '@survey/bus/events.ts';
import { enqueue } from '@survey/bus/outbox.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { accountOf, type Caller } from '@survey/rpc/call-context.ts';
import { TopicEvent } from '@survey/proto/events/v1/events.ts';
import type { Topic, TopicChange, TopicKeywords } from '@survey/proto/text/v1/topics.ts';
import { conflict } from '@survey/rpc/application-error.ts';
import { lockAccountState, saveAccountState, type AccountState } from '../tables/account-state.ts';
import { lookUpTopic, type TopicRow } from './topics.ts';

export interface TopicTools {
  readonly pool: Pool;
  // Must be called after the commit, to publish the event and start a backfill.
  readonly wake: (accountId: number) => void;
}

/** State that a change works on; the account's topics and assignments are locked meanwhile. */
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
  { pool, wake }: TopicTools,
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
  throw conflict('another topic has this name (compared without case). To merge topics, use: topic merge');
}

/** Topic as returned to operators. */
export function toTopicMessage({ keywords, ...topic }: TopicRow): Topic {
  const byLanguage = Object.entries(keywords).map(([language, words]): [string, TopicKeywords] => [
    language,
    { words: [...words] },
  ]);
  return { ...topic, keywords: Object.fromEntries(byLanguage) };
}

import { deferFacts, takeDeferredFor, type DeferredFact } from '@survey/bus/facts/deferred-facts.ts';
import type { ApplyFacts, ValidFact } from '@survey/bus/facts/fact.ts';
import { latestByKey } from '@survey/bus/facts/version.ts';
import type { Client } from '@survey/postgres/database.ts';
import { lockAccountState, type AccountState } from '../tables/account-state.ts';
import { countDecisions } from '../topics/learning/decided-answers.ts';
import { findAnswers, saveDecisions, type Decision } from './save-decisions.ts';
import { queueAnswers } from '../stages/queue-answers.ts';
import { findTopicAliases } from '../topics/topic-aliases.ts';
import { topicKey } from '../rules/topic-key.ts';

type AssignmentFact = ValidFact<'topic_assignment'>;

const DEFERRED_ASSIGNMENTS = { schema: 'text', kind: 'topic_assignment' } as const;

/** Stores topic decisions of account admins. They always override automatically found topics. */
export const applyTopicAssignments: ApplyFacts<'topic_assignment'> = async (tx, accountId, facts) => {
  await decide(tx, accountId, await lockAccountState(tx, accountId), facts);
};

/**
 * Applies the assignments that were deferred until one of these exists: `response <id>` or
 * `topic <key>`. Needs lockAccountState.
 */
export async function assignDeferredTopics(
  tx: Client,
  accountId: number,
  state: AccountState,
  awaited: readonly string[],
): Promise<void> {
  const facts = await takeDeferredFor(tx, accountId, DEFERRED_ASSIGNMENTS, awaited);
  if (facts.length > 0) await decide(tx, accountId, state, facts);
}

async function decide(tx: Client, accountId: number, state: AccountState, facts: readonly AssignmentFact[]): Promise<void> {
  const assignments = latestByKey(facts, decisionKey);
  const answers = await findAnswers(
    tx,
    accountId,
    assignments.map(({ content }) => content),
  );
  const topics = await findTopicAliases(
    tx,
    accountId,
    assignments.map(({ content }) => topicKey(content.topic)),
  );
  const waiting: DeferredFact[] = [];
  const decisions: Decision[] = [];
  for (const incoming of assignments) {
    const { response_id, question_id, topic: name, sentiment, removed } = incoming.content;
    const answer = answers.get(`${response_id} ${question_id}`);
    const topic = topics.get(topicKey(name));
    if (answer !== undefined && topic !== undefined) {
      const { revision, digest } = incoming;
      decisions.push({ answer, topicId: topic.topicId, sentiment, removed: removed ?? false, revision, digest });
    } else {
      const missingObject = answer === undefined ? `response ${response_id}` : `topic ${topicKey(name)}`;
      waiting.push({ objectId: decisionKey(incoming), missingObject, incoming });
    }
  }
  await deferFacts(tx, accountId, DEFERRED_ASSIGNMENTS, waiting);
  // Two names may mean one topic.
  const newest = latestByKey(decisions, ({ answer, topicId }) => `${answer} ${topicId}`);
  const decided = await saveDecisions(tx, accountId, newest);
  await countDecisions(tx, accountId, decided.length);
  if (state.stages.has('sentiment')) await queueAnswers(tx, accountId, ['sentiment'], decided);
}

function decisionKey({ content: { response_id, question_id, topic } }: AssignmentFact): string {
  return `${response_id} ${question_id} ${topicKey(topic)}`;
}

import type { FactConsumer, IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import { latestByKey, parseFacts } from '@survey/bus/read-facts.ts';
import type { Client } from '@survey/postgres/database.ts';
import { lockAccountState, type AccountState } from '../sql/account-state.ts';
import { countDecisions } from '../sql/decided-answers.ts';
import { findAnswers, saveDecisions } from '../sql/save-decisions.ts';
import { queueAnswers } from '../sql/queue-answers.ts';
import { findTopicAliases } from '../sql/topic-aliases.ts';
import { deferFacts } from '../sql/deferred-facts.ts';
import { topicKey } from '../rules/topic-key.ts';
import { isUuid } from './is-uuid.ts';

interface AssignmentFact {
  readonly incoming: IncomingFact;
  // Object of the decision: response, question and topic.
  readonly id: string;
  readonly responseId: string;
  readonly questionId: number;
  readonly topicKey: string;
  readonly sentiment: string | null;
  readonly removed: boolean;
}

/** Stores topic decisions of account admins. They always override automatically found topics. */
export const applyTopicAssignments: FactConsumer['apply'] = async (tx, accountId, facts) => {
  const { valid, rejected } = parseFacts(facts, readAssignment);
  await decide(tx, accountId, await lockAccountState(tx, accountId), valid);
  return rejected;
};

/**
 * Applies deferred assignments whose answer or topic now exists. They were valid when they were
 * deferred. Needs lockAccountState.
 */
export async function assignTopics(
  tx: Client,
  accountId: number,
  state: AccountState,
  facts: readonly IncomingFact[],
): Promise<void> {
  if (facts.length > 0) await decide(tx, accountId, state, parseFacts(facts, readAssignment).valid);
}

async function decide(tx: Client, accountId: number, state: AccountState, facts: readonly AssignmentFact[]): Promise<void> {
  const assignments = latestByKey(facts, ({ id }) => id);
  const answers = await findAnswers(tx, accountId, assignments);
  const topics = await findTopicAliases(
    tx,
    accountId,
    assignments.map((one) => one.topicKey),
  );
  const waiting = [];
  const decisions = [];
  for (const one of assignments) {
    const answer = answers.get(`${one.responseId} ${one.questionId}`);
    const topic = topics.get(one.topicKey);
    if (answer !== undefined && topic !== undefined) decisions.push({ ...one, answer, topicId: topic.topicId });
    else {
      const waitsFor = answer === undefined ? `response ${one.responseId}` : `topic ${one.topicKey}`;
      waiting.push({ kind: 'topic_assignment' as const, id: one.id, waitsFor, incoming: one.incoming });
    }
  }
  await deferFacts(tx, accountId, waiting);
  const decided = await saveDecisions(tx, accountId, newestOfEach(decisions));
  await countDecisions(tx, accountId, decided.length);
  if (state.stages.has('sentiment')) await queueAnswers(tx, accountId, ['sentiment'], decided);
}

// Two names may mean one topic.
function newestOfEach<D extends { readonly incoming: IncomingFact; readonly answer: number; readonly topicId: number }>(
  decisions: readonly D[],
): D[] {
  return latestByKey(decisions, ({ answer, topicId }) => `${answer} ${topicId}`);
}

const SENTIMENTS = ['positive', 'neutral', 'negative'];

function readAssignment(incoming: IncomingFact): AssignmentFact | RejectedFact {
  const reject = (reason: string): RejectedFact => ({ incoming, reason });
  const fact = incoming.fact.topic_assignment;
  if (fact == null) return reject('is a fact of another kind than its subject');
  const { question_id: questionId, topic, sentiment = null, removed } = fact;
  if (!isUuid(fact.response_id)) return reject('response_id is not a UUID');
  if (topic === '' || topic.includes('\0')) return reject('topic is no name of a topic');
  if (sentiment !== null && !SENTIMENTS.includes(sentiment)) return reject('sentiment is none of positive, neutral, negative');
  const responseId = fact.response_id.toLowerCase();
  const key = topicKey(topic);
  const id = `${responseId} ${questionId} ${key}`;
  return { incoming, id, responseId, questionId, topicKey: key, sentiment, removed };
}

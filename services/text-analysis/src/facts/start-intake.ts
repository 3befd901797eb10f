import type { BusConnection } from '@survey/bus/connection.ts';
import { consumeFacts } from '@survey/bus/facts/consume-facts.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { applyQuestions } from './apply-questions.ts';
import { applyResponses } from './apply-responses.ts';
import { applyTopicAssignments } from './apply-topic-assignments.ts';
import { applyTopics } from './apply-topics.ts';

/** Ingests texts, questions, topics, and topic decisions of account admins. */
export function startIntake(pool: Pool, bus: BusConnection, context: ServiceContext): void {
  const here = { schema: 'text', pool } as const;
  consumeFacts(bus, { ...here, consumer: 'text-analysis-question', kind: 'question', apply: applyQuestions }, context);
  consumeFacts(bus, { ...here, consumer: 'text-analysis-response', kind: 'response', apply: applyResponses }, context);
  consumeFacts(bus, { ...here, consumer: 'text-analysis-topic', kind: 'topic', apply: applyTopics }, context);
  const assignments = { consumer: 'text-analysis-topic_assignment', kind: 'topic_assignment' } as const;
  consumeFacts(bus, { ...here, ...assignments, apply: applyTopicAssignments }, context);
}

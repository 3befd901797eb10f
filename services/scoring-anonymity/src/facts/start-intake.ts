import { accountDeletionWork } from '@survey/bus/account-deletion.ts';
import { startAccountWork } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { consumeFacts } from '@survey/bus/facts/consume-facts.ts';
import { deferredFactWork, retryDeferredFacts } from '@survey/bus/facts/retry-deferred.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { eraseEmployee } from './erase-respondent.ts';
import { answerRetention } from './expire-answers.ts';
import { blockWork } from '../guard/make-blocks.ts';
import { applyCycles } from './apply-survey-facts.ts';
import { applyQuestions } from './apply-questions.ts';
import { applyResponses, DEFERRED_RESPONSES } from './apply-responses.ts';
import { applySurveys } from './apply-survey-facts.ts';

// Recovery only: events wake the worker.
const POLL_MS = 5_000;

/** Consumes the facts about surveys, questions, cycles and responses. */
export function startIntake(pool: Pool, bus: BusConnection, retainAnswersDays: number, context: ServiceContext): void {
  const here = { schema: 'scoring', pool } as const;
  consumeFacts(bus, { ...here, consumer: 'scoring-anonymity-survey', kind: 'survey', apply: applySurveys }, context);
  consumeFacts(bus, { ...here, consumer: 'scoring-anonymity-question', kind: 'question', apply: applyQuestions }, context);
  consumeFacts(bus, { ...here, consumer: 'scoring-anonymity-cycle', kind: 'cycle', apply: applyCycles }, context);
  consumeFacts(bus, { ...here, consumer: 'scoring-anonymity-response', kind: 'response', apply: applyResponses }, context);
  const retries = deferredFactWork(pool, 'scoring', (id) => retryDeferredFacts(pool, id, DEFERRED_RESPONSES, applyResponses));
  const works = [
    retries,
    blockWork(pool),
    accountDeletionWork(pool, 'scoring'),
    employeeErasureWork(pool, 'scoring', eraseEmployee(pool)),
    answerRetention(pool, retainAnswersDays, context.metrics),
  ];
  startAccountWork({ pool, schema: 'scoring', bus, pollMs: POLL_MS }, works, context);
}

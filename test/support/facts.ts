import { afterAll } from 'vitest';
import { Pool } from 'pg';
import { z } from 'zod';
import { TimedClient } from '@survey/postgres/timed-client.ts';
import { readConsumerProgress } from '@survey/bus/facts/consumer-progress.ts';
import type { FactKind } from '@survey/bus/streams.ts';
import { connectTool } from '@survey/bus/connection.ts';
import {
  FactBatch,
  type Assignment,
  type Cycle,
  type Fact,
  type Initiative,
  type Question,
  type Response,
  type Survey,
} from '@survey/proto/intake/v1/intake.ts';
import { arrangeRespondents } from './employees.ts';
import type { Stack } from './stack.ts';

/** A publisher of facts, in the role of the application. */
interface Intake {
  // Publishes facts of one kind in messages of up to 1,000, and waits until the services have
  // applied them.
  readonly publishFacts: (accountId: number, kind: FactKind, facts: readonly Fact[], options?: PublishOptions) => Promise<void>;
  // Publishes one raw message, and waits until the services have processed it.
  readonly publishMessage: (subject: string, payload: Uint8Array) => Promise<void>;
}

interface PublishOptions {
  readonly source?: string;
  // Facts per message.
  readonly batch?: number;
  // False: responses of unknown employees are deferred. Otherwise such employees are added first,
  // without options.
  readonly addRespondents?: boolean;
  // False: returns when the bus has stored the message.
  readonly untilApplied?: boolean;
}

const APPLIED_TIMEOUT_MS = 60_000;
const POLL_MS = 10;

// JetStream's acknowledgement of a stored message.
const stored = z.object({ seq: z.int().positive() });

/** Connects to the bus until the end of the test file. */
export async function openIntake({ natsUrl, databaseUrl }: Pick<Stack, 'natsUrl' | 'databaseUrl'>): Promise<Intake> {
  const { bus, ...connection } = await connectTool(natsUrl, 'test');
  const db = new Pool({ Client: TimedClient, connectionString: databaseUrl, max: 1 });
  // Some tests stop the server.
  db.on('error', () => undefined);
  afterAll(async () => {
    await connection[Symbol.asyncDispose]();
    await db.end();
  });
  const send = async (subject: string, payload: Uint8Array): Promise<number> =>
    stored.parse((await bus.request(subject, payload, { timeout: 10_000 })).json()).seq;
  const applied = async (kind: FactKind, sequences: readonly number[]): Promise<void> => {
    const published = new Map([[kind, { messages: sequences.length, lastSequence: Math.max(0, ...sequences) }]]);
    const deadline = Date.now() + APPLIED_TIMEOUT_MS;
    while ((await readConsumerProgress(bus, published)).some(({ remaining }) => remaining > 0)) {
      if (Date.now() > deadline) throw new Error(`facts of kind ${kind} are not applied after ${APPLIED_TIMEOUT_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  return {
    publishFacts: async (account_id, kind, facts, options = {}) => {
      const { source = 'test', batch = 1_000, untilApplied = true, addRespondents = true } = options;
      if (kind === 'response' && addRespondents) await arrangeMissing(db, account_id, facts);
      const batches = Array.from({ length: Math.ceil(facts.length / batch) }, (_, index) =>
        FactBatch.encode({ account_id, source, facts: facts.slice(index * batch, (index + 1) * batch) }).finish(),
      );
      const sequences: number[] = [];
      for (const payload of batches) sequences.push(await send(`intake.${kind}.${account_id}`, payload));
      if (untilApplied) await applied(kind, sequences);
    },
    publishMessage: async (subject, payload) => {
      const sequence = await send(subject, payload);
      // Subjects are intake.<kind>.<account>.
      await applied(subject.split('.')[1] as FactKind, [sequence]);
    },
  };
}

async function arrangeMissing(db: Pool, accountId: number, facts: readonly Fact[]): Promise<void> {
  const named = new Set(facts.flatMap(({ response }) => response?.employee?.id ?? []));
  const { rows } = await db.query<{ id: string }>('select id from imports.employee where account_id = $1', [accountId]);
  for (const { id } of rows) named.delete(Number(id));
  await arrangeRespondents(db, accountId, [...named]);
}

const CREATED = '2024-01-01T00:00:00Z';

/** Returns a monthly survey with required fields only, plus overrides. */
export function survey(id: number, more: Partial<Survey> = {}, revision = 0): Fact {
  const required = { frequency: 'monthly', created_at: CREATED, is_archived: false, is_deactivated: false };
  const lists = { employees_with_access_to_results: [], survey_properties: [] };
  return {
    revision,
    line: id,
    survey: { id, name: { en: `Survey ${id}` }, timezone: 'Europe/Berlin', ...required, ...lists, ...more },
  };
}

/** Returns a question of survey 1 without options. */
export function question(id: number, more: Partial<Question> = {}, revision = 0): Fact {
  const required = { survey_id: 1, type: 'textfield', is_deleted: false, answer_options: [] };
  return { revision, line: id, question: { id, name: { en: `Question ${id}` }, ...required, ...more } };
}

/** Returns an open cycle of survey 1. */
export function cycle(id: string, more: Partial<Cycle> = {}, revision = 0): Fact {
  return { revision, line: 0, cycle: { id, survey_id: 1, opened_at: CREATED, ...more } };
}

/** Returns an active assignment of employee 1 to survey 1. */
export function assignment(id: number, more: Partial<Assignment> = {}, revision = 0): Fact {
  return { revision, line: id, assignment: { id, survey_id: 1, employee: { id: 1 }, created_at: CREATED, ...more } };
}

/** Returns an initiative with required fields only. */
export function initiative(uuid: string, more: Partial<Initiative> = {}, revision = 0): Fact {
  const required = { title: 'Better coffee', status: 'draft', notes: '', created_at: CREATED, is_private: false };
  const lists = { question_ids: [], reminder_settings: [], notification_settings: [] };
  return { revision, line: 0, initiative: { uuid, ...required, ...lists, ...more } };
}

/** Returns a response of employee 1 in the first cycle of survey 1, without answers. */
export function response(id: string, more: Partial<Response> = {}, revision = 0): Fact {
  const required = { survey_id: 1, cycle_id: uuidOf(1), submitted_at: CREATED, imported: false, answers: [] };
  return { revision, line: 0, response: { id, employee: { id: 1 }, ...required, ...more } };
}

/** Returns the n-th test UUID; its version and variant are not standard. */
export function uuidOf(n: number): string {
  return `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
}

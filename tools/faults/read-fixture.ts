import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Demo } from '@survey/local/stack-file.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

/** An account that no longer changes, and the SHA-256 of each endpoint's body by path. */
export interface ReadFixture {
  readonly key: string;
  readonly bodies: ReadonlyMap<string, string>;
}

const PLAIN = [
  '/v1/employees?limit=100',
  '/v1/attributes',
  '/v1/surveys',
  '/v1/survey_cycles',
  '/v1/survey_assignments?limit=100',
  '/v1/initiatives',
  '/v1/questions',
  '/v1/text_responses?limit=50',
];
const PERIOD = 'period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z';
const IDLE_WITHIN_MS = 180_000;
const ROUND_MS = 2_000;
const EQUAL_ROUNDS = 3;

/** Waits until background work on the demo account is done: three identical results. */
export async function somethingToRead(stack: WholeStack): Promise<ReadFixture> {
  const { read_key: key }: Demo = await stack.demo();
  const paths = [...PLAIN, `/v1/scores?question_ids=${await scoredQuestion(stack, key)}&${PERIOD}`];
  const deadline = Date.now() + IDLE_WITHIN_MS;
  let bodies = new Map<string, string>();
  for (let equal = 1; equal < EQUAL_ROUNDS;) {
    if (Date.now() > deadline) throw new Error('cannot read the demo account: its responses keep changing');
    await sleep(ROUND_MS);
    const next = new Map(await Promise.all(paths.map(async (path) => [path, await digestOf(stack, path, key)] as const)));
    equal = [...next].every(([path, body]) => bodies.get(path) === body) ? equal + 1 : 1;
    bodies = next;
  }
  return { key, bodies };
}

async function scoredQuestion({ gatewayUrl }: WholeStack, key: string): Promise<number> {
  const response = await fetch(`${gatewayUrl}/v1/questions?limit=1000`, { headers: { 'x-api-key': key } });
  const { questions }: { questions: { id: number; type: string }[] } = JSON.parse(await response.text());
  const scored = questions.find(({ type }) => type === 'stars' || type === 'nps');
  if (scored === undefined) throw new Error('cannot read the demo account: no question has a score');
  return scored.id;
}

async function digestOf({ gatewayUrl }: WholeStack, path: string, key: string): Promise<string> {
  const response = await fetch(`${gatewayUrl}${path}`, { headers: { 'x-api-key': key } });
  const body = await response.text();
  // During ingestion, the first response of a service can take longer than the gateway's deadline.
  return response.status === 200 ? createHash('sha256').update(body).digest('hex') : randomUUID();
}

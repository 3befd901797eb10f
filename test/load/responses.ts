import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { readConsumerProgress } from '@survey/bus/facts/consumer-progress.ts';
import { connectTool } from '@survey/bus/connection.ts';
import type { FactKind } from '@survey/bus/streams.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { operatorAt } from '../support/accounts.ts';
import { cycle, question, response, survey, uuidOf } from '../support/facts.ts';
import { millisecondsOf, percentileOf, repeatWhile, type Figure } from '../support/figures.ts';
import { processorSecondsWhile } from '../support/processor-time.ts';
import { optionId, optionsOf } from '../support/scales.ts';
import { get, waitUntilServed, type BenchStack } from './bench-stack.ts';
import { growthFigures } from './growth.ts';
import { copyAccount } from './neighbours.ts';
import { importAndWait } from './post-snapshot.ts';
import { fillAccount } from './scores-fill.ts';
import { writeSnapshot } from './snapshot-file.ts';

const QUESTIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const TEXT_QUESTION = 99;
const RESPONSES_OF_A_PERSON = 5;
const READ_EVERY_MS = 100;
const TEXTS = ['The canteen is good, but too small at noon.', 'Meetings take too long.', 'I would like more training.'];

// What the services write of a response: no load can cost less than these rows.
const WRITTEN = ['scoring.response', 'scoring.answer', 'text.response', 'text.answer'];

/**
 * Measures responses of ten answers and a text that arrive as facts of a new account: growth over
 * three sizes, processor time of all services and stores beside copying the rows that they write,
 * and scores of another account meanwhile.
 */
export async function measureResponses(bench: BenchStack): Promise<Figure[]> {
  const sizes = bench.isSmoke ? [100, 300, 900] : [3_000, 30_000, 300_000];
  const other = await bench.account();
  await fillAccount(bench.pool, bench.isSmoke ? 2_000 : 1_000_000, other.account_id);
  const readScore = () => get(`${bench.stack.gateway_url}/v1/scores?question_ids=1&${PERIOD}`, other.read_key);
  await waitUntilServed(readScore);
  const timeScore = async (): Promise<number> => {
    await sleep(READ_EVERY_MS);
    return millisecondsOf(readScore);
  };
  const [times, perSecond, bySql, scores]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const size of sizes) {
    const { accountId, load } = await prepareLoad(bench, size);
    const seconds = await processorSecondsWhile(async () => {
      const meanwhile = await repeatWhile(() => millisecondsOf(load), timeScore);
      times.push(meanwhile.ms);
      scores.push(...meanwhile.values);
    });
    perSecond.push(size / seconds);
    bySql.push(size / (await processorSecondsWhile(() => copyAccount(bench.pool, accountId, 1, WRITTEN))));
  }
  return [
    ...growthFigures('responses loaded', sizes, times),
    ...sizes.map((size, index): Figure => ({
      what: `responses of ten answers and a text: ${size.toLocaleString('en')}`,
      unit: 'responses/s of CPU',
      ours: [perSecond[index] ?? 0],
      beside: { what: 'the same rows by SQL', values: [bySql[index] ?? 0] },
      size,
      ...(index === sizes.length - 1 && { goal: { atLeast: 1 / 3 } }),
    })),
    { what: 'p99 of scores of another account meanwhile', unit: 'ms', ours: [percentileOf(scores, 99)], goal: { atMost: 50 } },
  ];
}

const PERIOD = 'period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z';

/** Creates an account with employees and a survey. Returns what loads its responses. */
async function prepareLoad(
  { folder, stack, ...bench }: BenchStack,
  size: number,
): Promise<{ readonly accountId: number; readonly load: () => Promise<void> }> {
  using operator = operatorAt(stack.account_admin_address);
  const { accountId, writeKey } = await operator.createAccount();
  const file = join(folder, `respondents-${size}.gz`);
  const employees = size / RESPONSES_OF_A_PERSON;
  await writeSnapshot(file, employees);
  await importAndWait({ folder, stack, ...bench }, writeKey, file);
  const publish = (kind: FactKind, facts: Iterable<Fact>): Promise<void> =>
    publishAndWait(stack.nats_url, accountId, kind, facts);
  await publish('survey', [survey(1)]);
  await publish('cycle', [cycle(uuidOf(1))]);
  const rated = QUESTIONS.map((id) => question(id, { type: 'stars', answer_options: optionsOf(id) }));
  await publish('question', [...rated, question(TEXT_QUESTION)]);
  return { accountId, load: () => publish('response', responses(size, employees)) };
}

function* responses(size: number, employees: number): Generator<Fact> {
  for (let nth = 0; nth < size; nth += 1)
    yield response(uuidOf(nth + 1), {
      employee: { import_id: `HR-${String(nth % employees).padStart(8, '0')}` },
      answers: [
        ...QUESTIONS.map((id) => ({ question_id: id, option_ids: [optionId(id, 1 + ((nth * 7 + id) % 5))] })),
        { question_id: TEXT_QUESTION, option_ids: [], text: TEXTS[nth % TEXTS.length] ?? '' },
      ],
    });
}

async function publishAndWait(natsUrl: string, accountId: number, kind: FactKind, facts: Iterable<Fact>): Promise<void> {
  await using connection = await connectTool(natsUrl, 'load');
  const publisher = new FactPublisher(connection.bus, { accountId, source: `load-${kind}` });
  for (const fact of facts) await publisher.add(kind, fact);
  await publisher.flush();
  while ((await readConsumerProgress(connection.bus, publisher.published)).some(({ remaining }) => remaining > 0))
    await sleep(20);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../../../test/support/accounts.ts';
import { percentileOf } from '../../../test/support/figures.ts';
import { Customer } from '../../../test/failure/customer.ts';
import { plainSnapshot } from '../../../test/failure/plain-snapshot.ts';
import type { WholeStack } from '../../../test/failure/whole-stack.ts';

/** What an account sees that sends its usual requests while another one attacks. */
export interface Seen {
  readonly errors: readonly string[];
  readonly readsP99Ms: number;
  readonly importsP99Ms: number;
}

interface Bystander {
  /**
   * Resolves to what it saw since the last call, or since its start, once it has done everything
   * again.
   */
  seen(): Promise<Seen>;
  stop(): Promise<void>;
}

const EMPLOYEES = 200;
const PERIOD = 'period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z';
const PATHS = [
  '/v1/employees?limit=100',
  '/v1/attributes',
  '/v1/surveys',
  '/v1/survey_cycles',
  '/v1/survey_assignments?limit=100',
  '/v1/initiatives',
  '/v1/questions',
  '/v1/text_responses?limit=50',
  `/v1/scores?question_ids=11&${PERIOD}`,
];
const EVERY_MS = 1_000;
const TIMEOUT_MS = 30_000;

/**
 * Starts an account that imports 200 employees and reads every endpoint once a second. If its times
 * say nothing, it is patient: it retries what is late or answered with 503.
 */
export async function startBystander(stack: WholeStack, account: Account, isPatient: boolean): Promise<Bystander> {
  const over = new AbortController();
  let [reads, imports, errors] = newRound();
  let turns = 0;
  const customer = new Customer(account, [stack.gatewayUrl], TIMEOUT_MS);
  const read = async (path: string): Promise<void> => {
    const startedAt = performance.now();
    const response = await fetch(`${stack.gatewayUrl}${path}`, {
      headers: { 'x-api-key': account.readKey },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.arrayBuffer();
    reads.push(performance.now() - startedAt);
    if (isPatient && response.status === 503) throw new Error('not served');
    if (response.status !== 200) errors.push(`${path}: ${response.status}`);
  };
  const importAll = async (turn: number): Promise<void> => {
    const startedAt = performance.now();
    const importUuid = await customer.deliver(plainSnapshot(EMPLOYEES + (turn % 2)));
    const { state } = await stack.operator.importEnded(account.accountId, importUuid);
    imports.push(performance.now() - startedAt);
    if (state !== 'applied') errors.push(`an import is ${state}`);
  };
  const turn = async (nth: number): Promise<void> => {
    const work = [...PATHS.map((path) => () => read(path)), () => importAll(nth)];
    await Promise.all(work.map(attempt));
    turns += 1;
  };
  const attempt = async (one: () => Promise<void>): Promise<void> => {
    try {
      await one();
    } catch (error) {
      if (!isPatient) return void errors.push(String(error));
      await sleep(EVERY_MS);
      if (!over.signal.aborted) await attempt(one);
    }
  };
  const run = async (): Promise<void> => {
    for (let nth = 0; !over.signal.aborted; nth += 1) await Promise.all([turn(nth), sleep(EVERY_MS)]);
  };
  const running = run();
  return {
    seen: async () => {
      // The turn that began before the call, and one more.
      for (const after = turns + 2; turns < after;) await sleep(EVERY_MS / 10);
      const seen = { errors, readsP99Ms: percentileOf(reads, 99), importsP99Ms: percentileOf(imports, 99) };
      [reads, imports, errors] = newRound();
      return seen;
    },
    stop: async () => {
      over.abort();
      await running;
    },
  };
}

function newRound(): [number[], number[], string[]] {
  return [[], [], []];
}

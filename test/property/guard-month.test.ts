import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  accountCreator,
  askSegment,
  ATTRIBUTES,
  cycleFact,
  CYCLES,
  factOf,
  given,
  setGuard,
  setThresholds,
  settle,
  stars,
  threshold,
  type Given,
  type SegmentCall,
  type Thresholds,
} from './guard-account.ts';
import { expectScore, GuardModel } from './guard-model.ts';
import { checkInParallel } from './parallel-property.ts';
import type { ScoringAccount } from './scoring-database.ts';

const createAccount = await accountCreator();
const SEEDS = Number(process.env['GUARD_SEEDS'] ?? 2);

type Step =
  | { readonly do: 'answer'; readonly given: Given }
  // A correction; null stars withdraw an answer.
  | { readonly do: 'correct'; readonly nth: number; readonly stars: (number | null)[] }
  | { readonly do: 'close' | 'reopen'; readonly cycle: number }
  | { readonly do: 'thresholds'; readonly thresholds: Thresholds }
  // Turns the guard off and on again with this filter attribute.
  | { readonly do: 'guard'; readonly attribute: number };

const cycle = fc.constantFrom(...CYCLES);
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: given.map((given): Step => ({ do: 'answer', given })), weight: 6 },
  {
    arbitrary: fc.tuple(fc.nat(), fc.tuple(stars, stars, stars)).map(([nth, stars]): Step => ({ do: 'correct', nth, stars })),
    weight: 3,
  },
  { arbitrary: cycle.map((cycle): Step => ({ do: 'close', cycle })), weight: 1 },
  { arbitrary: cycle.map((cycle): Step => ({ do: 'reopen', cycle })), weight: 1 },
  { arbitrary: fc.tuple(threshold, threshold).map((thresholds): Step => ({ do: 'thresholds', thresholds })), weight: 1 },
  { arbitrary: fc.constantFrom(1, 2).map((attribute): Step => ({ do: 'guard', attribute })), weight: 1 },
);
const months = fc.record({
  thresholds: fc.tuple(threshold, threshold),
  first: fc.array(given, { minLength: 20, maxLength: 60 }),
  // Several at once: late answers become a block only when enough have arrived.
  steps: fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 6, maxLength: 12 }),
});

/** An account over time, and the model of its blocks. */
class Month {
  readonly model = new GuardModel();
  readonly #account: ScoringAccount;
  readonly #responses: Given[];
  readonly #settled = new Set([1, 2, 3]);
  #thresholds: Thresholds;
  #attribute = 1;
  // Revision of facts, and version of the settings.
  #revision = 1;

  constructor(account: ScoringAccount, first: readonly Given[], thresholds: Thresholds) {
    [this.#account, this.#responses, this.#thresholds] = [account, [...first], thresholds];
  }

  async take(step: Step): Promise<void> {
    const account = this.#account;
    const revision = (this.#revision += 1);
    if (step.do === 'answer') {
      this.#responses.push(step.given);
      await account.state('response', [factOf(step.given, this.#responses.length)]);
    } else if (step.do === 'correct') {
      const index = step.nth % this.#responses.length;
      const before = this.#responses[index];
      if (before === undefined) return;
      const corrected = (this.#responses[index] = { ...before, stars: step.stars });
      await account.state('response', [factOf(corrected, index + 1, revision)]);
    } else if (step.do === 'thresholds') {
      this.#thresholds = step.thresholds;
      await setThresholds(account, step.thresholds, revision);
    } else if (step.do === 'guard') {
      this.#attribute = step.attribute;
      await setGuard(account, 'off', 2 * revision);
      await setGuard(account, 'strict', 2 * revision + 1, step.attribute);
    } else {
      await account.state('cycle', [cycleFact(step.cycle, step.do === 'close', revision)]);
      if (step.do === 'close') this.#settled.add(step.cycle);
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    await settle(this.#account);
    this.model.settle(this.#responses, this.#settled, this.#thresholds, this.#attribute);
  }

  /** Asks a client's calls. Every score must consist of whole blocks, to both decimals. */
  async poll(): Promise<number> {
    let released = 0;
    for (const call of callsOf(ATTRIBUTES[this.#attribute] ?? [])) {
      const seen = await askSegment(this.#account, call);
      expectScore(seen, this.model.score(call, this.#thresholds));
      if (seen.score !== null) released += 1;
    }
    return released;
  }
}

function callsOf([one = 0, other = 0]: readonly number[]): SegmentCall[] {
  return [[11], [12], [11, 13]].flatMap((questionIds) =>
    [1, 4].flatMap((last) => [undefined, [one], [one, other]].map((optionIds) => ({ questionIds, first: 1, last, optionIds }))),
  );
}

it(
  'releases only whole blocks, which never change, at every step of a month [GUARD-BLOCKS-3] [GUARD-BLOCKS-4] [GUARD-SEGMENTS-2]',
  { timeout: 300_000 },
  async () => {
    let [released, late] = [0, 0];
    await checkInParallel(SEEDS, months, async ({ thresholds, first, steps }) => {
      const account = await createAccount(thresholds, 'strict', first);
      const month = new Month(account, first, thresholds);
      await month.settle();
      const made = month.model.blocks.length;
      for (const several of [[], ...steps]) {
        for (const each of several) await month.take(each);
        await month.settle();
        released += await month.poll();
      }
      late += month.model.blocks.length - made;
    });
    expect(released).toBeGreaterThan(SEEDS);
    expect(late).toBeGreaterThan(SEEDS / 2);
  },
);

it('isolates no respondent who arrives late with helpers that leave again [GUARD-BLOCKS-3]', async () => {
  const answer = (employee: number, value: number): Given => ({ employee, cycle: 1, day: 5, stars: [value, null, null] });
  const first = [1, 2, 3, 4, 5].map((employee) => answer(employee, 3));
  const account = await createAccount([5, 5], 'strict', first);
  const month = new Month(account, first, [5, 5]);
  await month.settle();
  const seen = [];
  // The helpers are employees 6 to 10, and the respondent is employee 11.
  const helpers = [6, 7, 8, 9, 10].map((employee) => answer(employee, 1));
  for (const given of [answer(11, 5), ...helpers]) await month.take({ do: 'answer', given });
  for (const nth of [-1, 6, 7, 8, 9, 10]) {
    if (nth >= 0) await month.take({ do: 'correct', nth, stars: [null, null, null] });
    await month.settle();
    seen.push((await askSegment(account, { questionIds: [11], first: 1, last: 1 })).score);
  }
  // 5 answers worth 50, 5 worth 0 and one worth 100: never those of the first and the last alone.
  expect(new Set(seen)).toEqual(new Set([31.82]));
});

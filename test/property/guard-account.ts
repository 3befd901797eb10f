import { inAccount } from '@survey/postgres/database.ts';
import { makeBlocks } from '@survey/scoring-anonymity/guard/make-blocks.ts';
import type { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import * as fc from 'fast-check';
import { cycle, question, response, survey, uuidOf } from '../support/facts.ts';
import { optionId, optionsOf } from '../support/scales.ts';
import { createScoringAccount, openScoringDatabase, type ScoringAccount } from './scoring-database.ts';

export const database = await openScoringDatabase();

export const QUESTIONS = [11, 12, 13];
// The fourth cycle stays open.
export const CYCLES = [1, 2, 3, 4];
export const STAFF = 14;
export const openedAt = (n: number): string => `2025-0${n}-01T00:00:00.000000Z`;
export const closedAt = (n: number): string => `2025-0${n}-20T00:00:00.000000Z`;

export type Thresholds = readonly [number, number];

export interface Given {
  readonly employee: number;
  readonly cycle: number;
  readonly day: number;
  // Stars by question; null: skipped.
  readonly stars: (number | null)[];
}

const stars = fc.option(fc.integer({ min: 1, max: 5 }), { freq: 4 });
const given: fc.Arbitrary<Given> = fc.record({
  employee: fc.integer({ min: 1, max: STAFF }),
  cycle: fc.constantFrom(...CYCLES),
  day: fc.integer({ min: 2, max: 19 }),
  stars: fc.tuple(stars, stars, stars),
});
const threshold = fc.integer({ min: 3, max: 6 });
export const cases = fc.record({
  thresholds: fc.tuple(threshold, threshold),
  all: fc.array(given, { minLength: 20, maxLength: 90 }),
  shift: fc.integer({ min: 1, max: 4 }),
});

export function factOf({ employee, cycle, day, stars }: Given, n: number, revision = 0): Fact {
  const answers = QUESTIONS.flatMap((id, index) => {
    const value = stars[index];
    return value == null ? [] : [{ question_id: id, option_ids: [optionId(id, value)] }];
  });
  const submitted_at = `2025-0${cycle}-${String(day).padStart(2, '0')}T12:00:00Z`;
  return response(uuidOf(n), { employee: { id: employee }, cycle_id: uuidOf(cycle), submitted_at, answers }, revision);
}

// Question 13 belongs to survey 2, as its threshold shows; the cycles belong to survey 1.
export async function createAccount(
  thresholds: Thresholds,
  guard: 'off' | 'strict',
  all: readonly Given[],
): Promise<ScoringAccount> {
  const account = await createScoringAccount(database);
  await setThresholds(account, thresholds, 0);
  const facts = QUESTIONS.map((id) =>
    question(id, { survey_id: id === 13 ? 2 : 1, type: 'stars', answer_options: optionsOf(id) }),
  );
  await account.state('question', facts);
  const cycles = CYCLES.map((n) => cycle(uuidOf(n), { opened_at: openedAt(n), ...(n < 4 && { closed_at: closedAt(n) }) }));
  await account.state('cycle', cycles);
  await account.bring(Array.from({ length: STAFF }, (_, index) => ({ id: index + 1, importId: null, optionIds: [] })));
  await setGuard(account, guard, 1);
  await add(account, all, 1);
  return account;
}

export async function setGuard({ accountId }: ScoringAccount, guard: 'off' | 'strict', version: number): Promise<void> {
  const insert = 'insert into admin.settings (account_id, version, disclosure_guard) values ($1, $2, $3)';
  await database.db.query(insert, [accountId, version, guard]);
}

export async function setThresholds(account: ScoringAccount, [first, second]: Thresholds, revision: number): Promise<void> {
  await account.state('survey', [
    survey(1, { score_threshold: first }, revision),
    survey(2, { score_threshold: second }, revision),
  ]);
}

/** Adds responses, the first with this number, and makes the blocks. */
export async function add(account: ScoringAccount, all: readonly Given[], from: number): Promise<void> {
  const facts = all.map((each, index) => factOf(each, from + index));
  if (facts.length > 0) await account.state('response', facts);
  await settle(account);
}

export async function settle({ accountId }: ScoringAccount): Promise<void> {
  for (let again: number | undefined = 0; again === 0;) {
    again = await inAccount(database.pool, accountId, (tx) => makeBlocks(tx, accountId));
  }
}

import { microsecondsOf } from '@survey/formats/instant.ts';
import { inAccount } from '@survey/postgres/database.ts';
import { makeBlocks } from '@survey/scoring-anonymity/make-blocks.ts';
import { releaseGuardedScore, releaseParticipation } from '@survey/scoring-anonymity/rules/disclosure-guard.ts';
import { releaseScore } from '@survey/scoring-anonymity/rules/release.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { cycle, question, response, survey, uuidOf } from '../support/facts.ts';
import { optionId, optionsOf } from '../support/scales.ts';
import { createScoringAccount, openScoringDatabase, type ScoringAccount } from './scoring-database.ts';

export const QUESTIONS = [11, 12, 13];
// The fourth cycle stays open.
export const CYCLES = [1, 2, 3, 4];
export const STAFF = 14;
export const openedAt = (n: number): string => `2025-0${n}-01T00:00:00.000000Z`;
export const closedAt = (n: number): string => `2025-0${n}-20T00:00:00.000000Z`;

// Options 1 to 3 belong to attribute 1, 4 and 5 to attribute 2. The last employee has none.
export const OPTIONS: readonly (readonly number[])[] = [
  [1, 4], [1, 4], [1, 5], [1, 5], [1, 4], [2, 4], [2, 5], [2, 5], [2, 4], [3, 5], [3, 4], [1, 2, 4], [1, 2, 5], [],
]; // oxfmt-ignore
export const ATTRIBUTES: Readonly<Record<number, readonly number[]>> = { 1: [1, 2, 3], 2: [4, 5] };

export type Thresholds = readonly [number, number];

export interface Given {
  readonly employee: number;
  readonly cycle: number;
  readonly day: number;
  // Stars by question; null: skipped.
  readonly stars: (number | null)[];
}

export const stars = fc.option(fc.integer({ min: 1, max: 5 }), { freq: 4 });
export const given: fc.Arbitrary<Given> = fc.record({
  employee: fc.integer({ min: 1, max: STAFF }),
  cycle: fc.constantFrom(...CYCLES),
  day: fc.integer({ min: 2, max: 19 }),
  stars: fc.tuple(stars, stars, stars),
});
export const threshold = fc.integer({ min: 3, max: 6 });
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

export const surveyOf = (cycle: number): number => (cycle === 3 ? 2 : 1);

type CreateAccount = (thresholds: Thresholds, guard: 'off' | 'strict', all: readonly Given[]) => Promise<ScoringAccount>;

/** Call with `await` at the top of each test file: its database ends with it. */
export async function accountCreator(): Promise<CreateAccount> {
  const database = await openScoringDatabase();
  return async (thresholds, guard, all) => {
    const account = await createScoringAccount(database);
    await fill(account, thresholds, guard, all);
    return account;
  };
}

// Question 13 belongs to survey 2, as its threshold shows, and so does the third cycle.
async function fill(account: ScoringAccount, ...[thresholds, guard, all]: Parameters<CreateAccount>): Promise<void> {
  await setThresholds(account, thresholds, 0);
  const facts = QUESTIONS.map((id) =>
    question(id, { survey_id: id === 13 ? 2 : 1, type: 'stars', answer_options: optionsOf(id) }),
  );
  await account.state('question', facts);
  await account.state(
    'cycle',
    CYCLES.map((n) => cycleFact(n, n < 4)),
  );
  await bringStaff(account);
  await setGuard(account, guard, 1);
  await add(account, all, 1);
}

export const cycleFact = (n: number, isClosed: boolean, revision = 0): Fact =>
  cycle(uuidOf(n), { survey_id: surveyOf(n), opened_at: openedAt(n), ...(isClosed && { closed_at: closedAt(n) }) }, revision);

// All employees are assigned to survey 1.
async function bringStaff(account: ScoringAccount): Promise<void> {
  const { db } = account.database;
  await account.bring(OPTIONS.map((optionIds, index) => ({ id: index + 1, importId: null, optionIds })));
  const values = [account.accountId];
  await db.query(
    "insert into imports.attribute (account_id, id, name, name_key) values ($1, 1, 'A', 'a'), ($1, 2, 'B', 'b')",
    values,
  );
  await db.query(
    `insert into imports.attribute_option (account_id, id, attribute_id, name)
     select $1, o, case when o > 3 then 2 else 1 end, o::text from generate_series(1, 5) o`,
    values,
  );
  await db.query(
    `insert into export.assignment (account_id, id, revision, digest, survey_id, employee_id, created_at)
     select $1, n, 0, '', 1, n, '2024-01-01' from generate_series(1, ${STAFF}) n`,
    values,
  );
}

export async function setGuard(
  { accountId, database }: ScoringAccount,
  guard: 'off' | 'strict',
  version: number,
  attributeId = 1,
): Promise<void> {
  const insert =
    'insert into admin.settings (account_id, version, disclosure_guard, text_filter_attribute_id) values ($1, $2, $3, $4)';
  await database.db.query(insert, [accountId, version, guard, attributeId]);
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

export async function settle({ accountId, database }: ScoringAccount): Promise<void> {
  for (let again: number | undefined = 0; again === 0;) {
    again = await inAccount(database.pool, accountId, (tx) => makeBlocks(tx, accountId));
  }
}

export interface Call {
  readonly questionIds: readonly number[];
  readonly from: string;
  readonly to: string;
}

/** A call over whole cycles. */
export interface SegmentCall {
  readonly questionIds: readonly number[];
  readonly first: number;
  readonly last: number;
  readonly surveyIds?: readonly number[] | undefined;
  readonly optionIds?: readonly number[] | undefined;
}

/**
 * Reads a score as scoring-anonymity does. With the guard, the number of respondents must be a
 * multiple of the threshold, and 0 exactly when the score is suppressed.
 */
export async function ask({ accountId, database }: ScoringAccount, { questionIds, from, to }: Call, segment?: SegmentCall) {
  const query = { accountId, questionIds: new Set(questionIds), fromUs: microsecondsOf(from), toUs: microsecondsOf(to) };
  const limits = segment && { surveyIds: segment.surveyIds, optionIds: segment.optionIds, participation: true };
  const { questions, respondents, tallies, guarded } = await database.readScore({ ...query, segment: limits });
  const scoreThresholds = questions.map(({ scoreThreshold }) => scoreThreshold);
  if (guarded === undefined) return { respondents, ...releaseScore({ scoreThresholds, respondents, tallies }) };
  const release = releaseGuardedScore({ questions, respondents, tallies });
  const strictest = Math.max(...scoreThresholds.map((each) => each ?? 5));
  expect([release.respondents % strictest, release.respondents === 0]).toEqual([0, release.suppressed]);
  if (segment === undefined) return release;
  return { ...release, participation: release.suppressed ? [] : releaseParticipation(questions, guarded.participation) };
}

export function askSegment(account: ScoringAccount, segment: SegmentCall) {
  const { questionIds, first, last } = segment;
  return ask(account, { questionIds, from: openedAt(first), to: closedAt(last) }, segment);
}

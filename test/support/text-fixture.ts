import type { Fact, Response } from '@survey/proto/intake/v1/intake.ts';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Account } from './accounts.ts';
import type { FactKind } from '@survey/bus/streams.ts';
import { whenServed, type Answer } from './api.ts';
import { arrangeAttributes, arrangeEmployee } from './employees.ts';
import { openIntake, question, response, survey, uuidOf } from './facts.ts';
import type { FileStack } from './file-stack.ts';
import { STARS } from './score-fixture.ts';

/** Cycles of the text tests: c1 and c2 of survey 1, c3 of survey 2. */
export const [C1, C2, C3] = [uuidOf(901), uuidOf(902), uuidOf(903)];

// Strict: any further field could reveal the respondent (rule TEXTS-FIELDS-1).
const topic = z.strictObject({ name: z.string(), sentiment: z.enum(['positive', 'neutral', 'negative']).nullable() });
const page = z.strictObject({
  total_count: z.int().nonnegative(),
  responses: z.array(z.strictObject({ text: z.string(), topics: z.array(topic) })),
});

type TextPage = z.infer<typeof page>;

/** A response with one text for each of some questions. */
interface TextResponseSpec {
  // Number of the response, and of the employee unless `person` is set.
  readonly n: number;
  readonly person?: number;
  readonly texts: Readonly<Record<number, string>>;
  readonly surveyId?: number;
  readonly cycleId?: string;
  readonly imported?: boolean;
  readonly revision?: number;
}

export function textResponse({
  n,
  person = n,
  texts,
  surveyId = 1,
  cycleId = C1,
  imported = false,
  revision = 0,
}: TextResponseSpec): Fact {
  const more: Partial<Response> = { survey_id: surveyId, cycle_id: cycleId, employee: { id: person }, imported };
  const answers = Object.entries(texts).map(([id, text]) => ({ question_id: Number(id), option_ids: [], text }));
  return response(uuidOf(n), { ...more, answers }, revision);
}

/**
 * Returns responses `from`, `from` + 1 … of different employees, each with one text (question 15 by
 * default).
 */
export function textResponses(
  count: number,
  { from = 1, question = 15, ...more }: Partial<TextResponseSpec> & { from?: number; question?: number } = {},
): Fact[] {
  return Array.from({ length: count }, (_, index) =>
    textResponse({ ...more, n: from + index, texts: { [question]: `text ${from + index}` } }),
  );
}

interface TextFixture {
  /**
   * Adds surveys 1 (threshold 3) and 2 (threshold 5) with questions 11 (stars), 15, 16 and 25
   * (texts; 25 is of survey 2).
   */
  readonly fixture: () => Promise<Account>;
  readonly state: (account: Account, kind: FactKind, ...facts: Fact[]) => Promise<void>;
  readonly ask: (account: Account, query?: string) => Promise<Answer>;
  // Expects 200 and parses strictly.
  readonly read: (account: Account, query?: string) => Promise<TextPage>;
  // The texts only, sorted.
  readonly texts: (account: Account, query?: string) => Promise<string[]>;
  // Adds attributes Country (options 1 DE, 2 FR; the text filter) and Dept (option 3), and
  // employees with some of them.
  readonly people: (account: Account, optionIds: readonly (readonly number[])[]) => Promise<void>;
  readonly settings: (account: Account, changes: SettingsChanges) => Promise<void>;
}

interface SettingsChanges {
  readonly masking?: boolean;
  readonly masking_entitled?: boolean;
  readonly masking_categories?: readonly string[];
  readonly text_filter_attribute?: string;
  readonly categorisation?: boolean;
}

/** Call with `await` at the top of the file. */
export async function openTextFixture({ stack, api, operator, db }: FileStack): Promise<TextFixture> {
  const intake = await openIntake(stack);
  const state: TextFixture['state'] = ({ accountId }, kind, ...facts) => intake.publishFacts(accountId, kind, facts);
  const ask: TextFixture['ask'] = ({ readKey }, query = '') => api.get(`/v1/text_responses?limit=1000${query}`, readKey);
  const read: TextFixture['read'] = async (account, query) => {
    const answer = await whenServed(() => ask(account, query));
    expect(answer).toMatchObject({ status: 200 });
    return page.parse(answer.body);
  };
  const settings: TextFixture['settings'] = async ({ accountId: account_id }, { masking_categories: names, ...changes }) => {
    const request = { account_id, masking_categories: names === undefined ? null : { names: [...names] }, ...changes };
    await operator.admin.setSettings(request, { caller: { requestId: 'test' }, deadlineMs: 10_000 });
  };
  return {
    state,
    ask,
    read,
    settings,
    texts: async (account, query) => (await read(account, query)).responses.map(({ text }) => text).sort(),
    fixture: async () => {
      const account = await operator.createAccount();
      await state(account, 'survey', survey(1, { text_threshold: 3 }), survey(2, { text_threshold: 5 }));
      const other = question(25, { survey_id: 2 });
      await state(account, 'question', question(11, STARS), question(15), question(16), other);
      return account;
    },
    people: async (account, optionIds) => {
      const { accountId } = account;
      await arrangeAttributes(db, accountId, { Country: ['DE', 'FR'], Dept: ['Sales'] });
      for (const [index, options] of optionIds.entries()) {
        await arrangeEmployee(db, accountId, { id: index + 1, email: `p${index + 1}@x.io`, optionIds: options });
      }
      await settings(account, { text_filter_attribute: 'Country' });
    },
  };
}

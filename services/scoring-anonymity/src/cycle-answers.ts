import { int8At, readBinaryCopy } from '@survey/postgres/stream-rows.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { RespondentGroup } from './rules/disclosure-guard.ts';
import { COUNTED_OPTIONS } from './tally-answers.ts';

export interface CycleScope {
  readonly accountId: number;
  readonly cycleId: string;
  readonly currentOptions: FilterOptions;
}

/**
 * Maps each option of the filter attribute to the option that it counts as now: itself, or the one
 * that it was merged into.
 */
export type FilterOptions = ReadonlyMap<number, number>;

// SQL that selects from an employee's or respondent's options those of the filter attribute;
// `parameter` has the ids of all options of this attribute.
export const filterOptions = (optionIds: string, parameter: string): string =>
  `array(select o from unnest(${optionIds}) o where o = any(${parameter}::integer[]) order by o)`;

/** Respondents of a cycle with the same options of the filter attribute. */
interface MemberGroup {
  readonly optionIds: readonly number[];
  readonly respondents: readonly number[];
}

// A respondent has the options of their first response in the cycle; only these are filtered.
const MEMBERS = `
select option_ids as "optionIds", json_agg(respondent) as respondents
from (
  select respondent, ${filterOptions('option_ids', '$3')} as option_ids
  from (
    select distinct on (respondent) respondent, option_ids
    from scoring.response where account_id = $1::bigint and cycle_id = $2::uuid order by respondent, ordinal
  ) first
) filtered
group by option_ids order by option_ids`;

/**
 * Reads the respondents of a cycle in groups, ordered by options. Options that were merged since
 * are one (rule ATTRIBUTES-MERGE-4).
 */
export async function readMembers(tx: Client, { accountId, cycleId, currentOptions }: CycleScope): Promise<MemberGroup[]> {
  const { rows } = await tx.query<MemberGroup>(MEMBERS, [accountId, cycleId, [...currentOptions.keys()]]);
  const groups = rows.map(({ optionIds, respondents }) => {
    const current = new Set(optionIds.map((id) => currentOptions.get(id) ?? id));
    return { optionIds: [...current].sort((a, b) => a - b), respondents };
  });
  return [...Map.groupBy(groups, ({ optionIds }) => optionIds.join()).values()].map((same) => ({
    optionIds: same[0]?.optionIds ?? [],
    respondents: same.flatMap(({ respondents }) => respondents),
  }));
}

/** A question as the blocks of a cycle need it. */
interface BlockQuestion {
  readonly id: number;
  readonly configuredThreshold: number | null;
  // Responses with lower ordinals are in blocks; null without blocks.
  readonly nextResponse: number | null;
}

/** Reads all questions of an account. */
export async function readBlockQuestions(tx: Client, { accountId, cycleId }: CycleScope): Promise<BlockQuestion[]> {
  const { rows } = await tx.query<BlockQuestion>(
    `select q.id, v.score_threshold as "configuredThreshold", b.next as "nextResponse"
     from scoring.question q
     join scoring.survey v on v.account_id = q.account_id and v.id = q.survey_id
     left join (
       select question_id, max(next_response) as next from scoring.block
       where account_id = $1::bigint and cycle_id = $2::uuid group by question_id
     ) b on b.question_id = q.id
     where q.account_id = $1::bigint order by q.id`,
    [accountId, cycleId],
  );
  return rows;
}

type OnAnswer = (response: number, questionId: number, respondent: number, choice: number) => void;

/** Reads all numeric answers of a cycle, about a million per second. */
export async function copyCycleAnswers(tx: Client, { accountId, cycleId }: CycleScope, onAnswer: OnAnswer): Promise<void> {
  // COPY takes no parameters; inAccount has checked that the account is a number.
  await readBinaryCopy(
    tx,
    `copy (select a.response, a.question_id, a.respondent, a.choice
           from scoring.response r join scoring.answer a on a.account_id = r.account_id and a.response = r.ordinal
           where r.account_id = ${accountId} and r.cycle_id = ${tx.escapeLiteral(cycleId)}) to stdout (format binary)`,
    (bytes, from) => readRows(bytes, from, onAnswer),
  );
}

// A row is a column count, then a length and the bytes of each column: 2 + 4 * 4 + 4 + 8 + 4 + 4.
const ROW_BYTES = 38;

// Returns the offset of the first incomplete row.
function readRows(bytes: Buffer, from: number, onAnswer: OnAnswer): number {
  let at = from;
  for (; bytes.length - at >= ROW_BYTES; at += ROW_BYTES) {
    onAnswer(bytes.readInt32BE(at + 6), int8At(bytes, at + 14), bytes.readInt32BE(at + 26), bytes.readInt32BE(at + 34));
  }
  return at;
}

// With "offset 0": one index lookup per choice (docs/adr/0029-no-plan-depends-on-neighbours.md).
const VALUELESS = `
select w.question_id as "questionId", array_agg(w.choice) as choices
from unnest($2::bigint[], $3::integer[]) w (question_id, choice)
cross join lateral (select option_ids from scoring.choice where account_id = $1::bigint and id = w.choice offset 0) c
cross join lateral (
  select ${COUNTED_OPTIONS} as option_ids from scoring.question q where q.account_id = $1::bigint and q.id = w.question_id offset 0) q
where not c.option_ids && q.option_ids group by 1`;

/** Returns by question the counted choices without a value: nobody answers it by them. */
export async function findValueless(
  tx: Client,
  { accountId }: CycleScope,
  counts: readonly AnswerCount[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const pairs = counts.flatMap(({ question, choices }) => choices.map((choice) => [question.id, choice] as const));
  const { rows } = await tx.query<{ questionId: number; choices: number[] }>(VALUELESS, [
    accountId,
    pairs.map(([id]) => id),
    pairs.map(([, choice]) => choice),
  ]);
  return new Map(rows.map(({ questionId, choices }) => [questionId, new Set(choices)]));
}

/** Answers to one question by a group of respondents of a cycle that are in no block. */
export interface FreeGroup extends RespondentGroup {
  readonly optionIds: readonly number[];
  // Sorted.
  readonly ordinals: readonly number[];
  // Numbers of answers by choice.
  readonly choices: ReadonlyMap<number, number>;
}

/** The respondents of a cycle: ordinals sorted, and the group of each. */
export class Members {
  readonly groups: readonly MemberGroup[];
  readonly ordinals: Uint32Array;
  readonly groupOf: Uint32Array;
  readonly #indexes: Uint32Array;

  /** @param respondents of the account */
  constructor(groups: readonly MemberGroup[], respondents: number) {
    this.groups = groups;
    this.ordinals = Uint32Array.from(groups.flatMap((group) => group.respondents)).sort();
    this.#indexes = new Uint32Array(respondents);
    for (const [index, ordinal] of this.ordinals.entries()) this.#indexes[ordinal] = index;
    this.groupOf = new Uint32Array(this.ordinals.length);
    for (const [number, group] of groups.entries())
      for (const ordinal of group.respondents) this.groupOf[this.indexOf(ordinal)] = number;
  }

  indexOf(ordinal: number): number {
    return this.#indexes[ordinal] ?? 0;
  }
}

/**
 * Counts the answers to one question in one cycle that are in no block, with 4 bytes for each
 * respondent of the cycle.
 */
export class AnswerCount {
  readonly question: BlockQuestion;
  readonly #members: Members;
  readonly #valueless: ReadonlySet<number> | undefined;
  readonly #answers: Uint32Array;
  readonly #choices: Map<number, number>[] = [];

  /** @param valueless choices that do not count */
  constructor(question: BlockQuestion, members: Members, valueless: ReadonlySet<number> | undefined) {
    this.question = question;
    this.#members = members;
    this.#valueless = valueless;
    this.#answers = new Uint32Array(members.ordinals.length);
  }

  get choices(): number[] {
    return this.#choices.flatMap((choices) => [...choices.keys()]);
  }

  /** Late answers, whose cell already has a block, are one group without options. */
  get isLate(): boolean {
    return this.question.nextResponse !== null;
  }

  add(response: number, respondent: number, choice: number): void {
    if (response < (this.question.nextResponse ?? 0) || this.#valueless?.has(choice) === true) return;
    const member = this.#members.indexOf(respondent);
    this.#answers[member] = (this.#answers[member] ?? 0) + 1;
    const choices = (this.#choices[this.#groupOf(member)] ??= new Map<number, number>());
    choices.set(choice, (choices.get(choice) ?? 0) + 1);
  }

  /** Returns the groups with answers. */
  groups(): FreeGroup[] {
    const groups = this.#choices.map((choices, number) => ({
      optionIds: this.isLate ? [] : (this.#members.groups[number]?.optionIds ?? []),
      ordinals: [] as number[],
      choices,
      answers: 0,
      mostAnswers: 0,
    }));
    for (let member = 0; member < this.#answers.length; member += 1) {
      const answers = this.#answers[member] ?? 0;
      const group = groups[this.#groupOf(member)];
      if (answers === 0 || group === undefined) continue;
      group.ordinals.push(this.#members.ordinals[member] ?? 0);
      group.answers += answers;
      group.mostAnswers = Math.max(group.mostAnswers, answers);
    }
    return groups.flatMap((group) => (group.answers === 0 ? [] : [{ ...group, respondents: group.ordinals.length }]));
  }

  #groupOf(member: number): number {
    return this.isLate ? 0 : (this.#members.groupOf[member] ?? 0);
  }
}

import { int8At, readBinaryCopy } from '@survey/postgres/copy-out.ts';
import type { Client } from '@survey/postgres/database.ts';

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
export interface MemberGroup {
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
export interface BlockQuestion {
  readonly id: number;
  readonly configuredThreshold: number | null;
  // Responses with lower ordinals are in blocks; null without blocks.
  readonly nextResponse: number | null;
  // Choices of options that do not count (rule SCORES-EDITS-2).
  readonly uncountedChoices: readonly number[];
}

/** Reads all questions of an account. */
export async function readBlockQuestions(tx: Client, { accountId, cycleId }: CycleScope): Promise<BlockQuestion[]> {
  const { rows } = await tx.query<BlockQuestion>(
    `select q.id, v.score_threshold as "configuredThreshold", b.next as "nextResponse",
       coalesce(u.choices, '{}') as "uncountedChoices"
     from scoring.question q
     join scoring.survey v on v.account_id = q.account_id and v.id = q.survey_id
     left join (
       select question_id, max(next_response) as next from scoring.block
       where account_id = $1::bigint and cycle_id = $2::uuid group by question_id
     ) b on b.question_id = q.id
     left join lateral (
       select array_agg(c.id) as choices from scoring.choice c
       where c.account_id = $1::bigint and q.removed_options || q.answer_options @> '[{"counts": false}]' and c.option_ids <@ array(
         select (o ->> 'id')::bigint from jsonb_array_elements(q.removed_options || q.answer_options) o where o -> 'counts' = 'false')
     ) u on true
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

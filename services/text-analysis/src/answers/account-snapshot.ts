import type { Client } from '@survey/postgres/database.ts';
import { TIMELINE } from '@survey/postgres/replica/timeline.ts';
import type { MaskingSettings } from '../rules/masking-policy.ts';

/** Values that decide whether and where an answer is shown. */
export interface AnswerRow {
  readonly id: number;
  readonly sortKey: bigint;
  readonly questionId: number;
  // Ordinals within the account.
  readonly cycle: number;
  readonly respondent: number;
  readonly optionSet: number;
  // -1: in no block.
  readonly block: number;
  readonly imported: boolean;
  // Masking policy of its mask; 0 without a mask.
  readonly policy: number;
  // Whether a correction removed the answer.
  readonly gone: boolean;
  // Whether an account admin withholds it.
  readonly withheld: boolean;
}

export interface Cycle {
  readonly cycleId: string;
  readonly surveyId: number;
}

/** Answers to one question in one cycle that the disclosure guard releases together. */
export interface Block {
  // Ordinal.
  readonly cycle: number;
  readonly questionId: number;
  readonly optionGroups: readonly (readonly number[])[];
}

/**
 * Changes since an earlier sequence, from one database snapshot; `sequence` is its highest
 * sequence.
 */
export interface AnswerChanges {
  readonly sequence: number;
  readonly respondents: number;
  readonly textQuestionIds: readonly number[];
  // How many were cached when the changes were read; a concurrent call may have added some since.
  readonly known: Readonly<Record<'cycles' | 'optionSets' | 'blocks', number>>;
  // Those after the known ones, by ordinal.
  readonly cycles: readonly Cycle[];
  readonly optionSets: readonly (readonly number[])[];
  readonly blocks: readonly Block[];
  readonly rows: readonly AnswerRow[];
}

export interface AccountSnapshot extends MaskingSettings {
  readonly sequence: number;
  readonly timeline: number;
  // Highest answer id assigned in the account, including removed answers.
  readonly answers: number;
  // Words that are hidden in every text.
  readonly deniedWords: readonly string[];
  // Whether the account has the disclosure guard.
  readonly isGuarded: boolean;
  // Whether all requested options belong to the account's filter attribute.
  readonly optionsAreOfFilter: boolean;
  // Without rows when no answers are cached; undefined when there are too many changes.
  readonly changes: AnswerChanges | undefined;
}

interface SnapshotQuery {
  readonly accountId: number;
  // State of the caller's cached answers, if any.
  readonly cached:
    | {
        readonly sequence: number;
        readonly timeline: number;
        readonly cycles: ArrayLike<unknown>;
        readonly blocks: ArrayLike<unknown>;
        readonly optionSets: { readonly length: number };
      }
    | undefined;
  readonly optionIds: readonly number[];
}

/** Maximum changed answers per snapshot; reading this many takes about 500 ms. */
export const MAX_CHANGES = 50_000;

// Everything that decides what is shown, in one database snapshot: settings, and answer changes
// since the caller's sequence. Usually there are none, and only the first part is read. Sequences
// have an upper limit, so that a kept plan expects few of them and reads them by index.
const SNAPSHOT = `
select
  coalesce(v.masking_effect, 'off') as masking_effect,
  coalesce(v.masking_categories, '{}') as masking_categories,
  coalesce(v.masking_denied_words, '{}') as denied_words,
  coalesce(v.disclosure_guard = 'strict', false) as guarded,
  (
    select count(*) from imports.attribute_option o
    where o.account_id = $1::bigint and o.attribute_id = v.text_filter_attribute_id and o.id = any($5::bigint[])
  ) as options_of_filter,
  coalesce(s.sequence, 0) as sequence,
  coalesce(s.respondents, 0) as respondents,
  coalesce(s.answers, 0) as answers,
  ${TIMELINE} as timeline,
  c.*
from (values (true)) one (row)
left join text.account_state s on s.account_id = $1::bigint
left join lateral (
  select * from admin.settings where account_id = $1::bigint order by version desc limit 1
) v on true
left join lateral (
  select
    (select json_agg(q.id) from text.question q where q.account_id = $1::bigint and q.type = 'textfield') as questions,
    (
      select json_agg(json_build_array(n.cycle_id, n.survey_id) order by n.ordinal)
      from text.cycle n where n.account_id = $1::bigint and n.ordinal >= $3::integer
    ) as cycles,
    (
      select json_agg(n.option_ids order by n.ordinal)
      from text.option_set n where n.account_id = $1::bigint and n.ordinal >= $4::integer
    ) as option_sets,
    (
      select json_agg(json_build_array(n.cycle, n.question_id, n.option_groups) order by n.ordinal)
      from text.block n where n.account_id = $1::bigint and n.ordinal >= $8::integer
    ) as blocks,
    (
      select json_agg(json_build_array(a.id, a.sort_key::text, a.question_id, r.cycle, r.respondent, r.option_set, r.imported, m.policy, a.content is null, b.block, a.is_withheld))
      from (
        (select n.id from text.answer n where n.account_id = $1::bigint and n.sequence > $2::bigint and n.sequence <= $2::bigint + $6::bigint limit $6::bigint + 1)
        union
        (select n.answer from text.masked_text n where n.account_id = $1::bigint and n.sequence > $2::bigint and n.sequence <= $2::bigint + $6::bigint limit $6::bigint + 1)
        union
        (select n.answer from text.block_answer n where n.account_id = $1::bigint and n.sequence > $2::bigint and n.sequence <= $2::bigint + $6::bigint limit $6::bigint + 1)
      ) changed
      join text.answer a on a.account_id = $1::bigint and a.id = changed.id
      join text.response r on r.account_id = a.account_id and r.id = a.response_id
      left join text.masked_text m on m.account_id = a.account_id and m.answer = a.id
      left join text.block_answer b on b.account_id = a.account_id and b.answer = a.id
    ) as rows
  where s.sequence > coalesce($2::bigint, -1) and ($2::bigint is null or s.sequence - $2::bigint <= $6::bigint and ${TIMELINE} = $7::integer)
) c on true`;

interface SnapshotRow extends MaskingSettings {
  denied_words: string[];
  options_of_filter: number;
  guarded: boolean;
  sequence: number;
  timeline: number;
  respondents: number;
  answers: number;
  questions: number[] | null;
  cycles: [cycleId: string, surveyId: number][] | null;
  option_sets: number[][] | null;
  blocks: [cycle: number, questionId: number, optionGroups: number[][]][] | null;
  rows: ChangedRow[] | null;
}

type ChangedRow = [
  id: number,
  sortKey: string,
  questionId: number,
  cycle: number,
  respondent: number,
  optionSet: number,
  imported: boolean,
  policy: number | null,
  gone: boolean,
  block: number | null,
  withheld: boolean,
];

/**
 * Reads settings and answer changes beyond the cached ones. One SQL statement, so one database
 * snapshot.
 */
export async function readSnapshot(db: Client, { accountId, cached, optionIds }: SnapshotQuery): Promise<AccountSnapshot> {
  const known = {
    cycles: cached?.cycles.length ?? 0,
    optionSets: cached?.optionSets.length ?? 0,
    blocks: cached?.blocks.length ?? 0,
  };
  const values = [
    accountId,
    cached?.sequence ?? null,
    known.cycles,
    known.optionSets,
    optionIds,
    MAX_CHANGES,
    cached?.timeline ?? null,
    known.blocks,
  ];
  const { rows } = await db.query<SnapshotRow>({ name: 'text_snapshot', text: SNAPSHOT, values });
  const [row] = rows;
  if (row === undefined) throw new Error('expected one row');
  const { masking_effect, masking_categories, sequence, timeline, answers } = row;
  const optionsAreOfFilter = row.options_of_filter === optionIds.length;
  const comeAlong = cached === undefined || (cached.timeline === timeline && sequence - cached.sequence <= MAX_CHANGES);
  // One sequence may cover many changed answers.
  const fits = (row.rows?.length ?? 0) <= MAX_CHANGES;
  return {
    masking_effect,
    masking_categories,
    sequence,
    timeline,
    answers,
    deniedWords: row.denied_words,
    isGuarded: row.guarded,
    optionsAreOfFilter,
    changes: comeAlong && fits ? changesOf(row, known) : undefined,
  };
}

function changesOf(row: SnapshotRow, known: AnswerChanges['known']): AnswerChanges {
  return {
    known,
    sequence: row.sequence,
    respondents: row.respondents,
    textQuestionIds: row.questions ?? [],
    cycles: (row.cycles ?? []).map(([cycleId, surveyId]) => ({ cycleId, surveyId })),
    optionSets: row.option_sets ?? [],
    blocks: (row.blocks ?? []).map(([cycle, questionId, optionGroups]) => ({ cycle, questionId, optionGroups })),
    rows: (row.rows ?? []).map(
      ([id, sortKey, questionId, cycle, respondent, optionSet, imported, policy, gone, block, withheld]) => ({
        id,
        sortKey: BigInt(sortKey),
        questionId,
        cycle,
        respondent,
        optionSet,
        imported,
        policy: policy ?? 0,
        gone,
        block: block ?? -1,
        withheld,
      }),
    ),
  };
}

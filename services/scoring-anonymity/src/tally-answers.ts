import type { Queryable } from '@survey/postgres/database.ts';
import type { RequestedQuestion } from './rules/requested-questions.ts';
import type { Scale } from './rules/scale.ts';
import type { Period, ScoreInputs } from './rules/score.ts';

interface TallyQuery extends Period {
  readonly accountId: number;
  readonly questions: readonly RequestedQuestion[];
  // Only responses given in these surveys; undefined: in any.
  readonly surveyIds?: readonly number[] | undefined;
}

interface Tally extends ScoreInputs {
  // With `surveyIds`: configured thresholds of the given surveys that have such responses; null for
  // a survey that is not known yet.
  readonly scoreThresholds: readonly (number | null)[] | undefined;
}

/**
 * SQL of the options that a question `q` has or had and that count: an answer with one of them has
 * a value.
 */
export const COUNTED_OPTIONS = `array(
  select (o ->> 'id')::bigint from jsonb_array_elements(q.answer_options || q.removed_options) o
  where (o -> 'counts') is distinct from 'false')`;

const QUESTION = `question as (
  select q.id, ${COUNTED_OPTIONS} as option_ids
  from scoring.question q
  where q.account_id = $1::bigint and q.id = any($2::bigint[])
)`;
const COUNTS = `(select count(distinct respondent) from slice) as respondents,
  (
    select json_agg(json_build_array(question_id, option_ids, answers))
    from (select question_id, option_ids, count(*) as answers from slice group by question_id, choice, option_ids) chosen
  ) as chosen`;

// The index answer_by_question covers the slice.
const TALLY = `
with ${QUESTION}, slice as not materialized (
  select a.question_id, a.respondent, c.id as choice, c.option_ids
  from question q
  join scoring.answer a on a.account_id = $1::bigint and a.question_id = q.id and a.submitted_us between $3::bigint and $4::bigint
  join scoring.choice c on c.account_id = a.account_id and c.id = a.choice and c.option_ids && q.option_ids
)
select ${COUNTS}, null::json as thresholds`;

const TALLY_OF_SURVEYS = `
with ${QUESTION}, slice as materialized (
  select a.question_id, a.respondent, c.id as choice, c.option_ids, r.survey_id
  from question q
  join scoring.answer a on a.account_id = $1::bigint and a.question_id = q.id and a.submitted_us between $3::bigint and $4::bigint
  join scoring.response r on r.account_id = a.account_id and r.ordinal = a.response and r.survey_id = any($5::bigint[])
  join scoring.choice c on c.account_id = a.account_id and c.id = a.choice and c.option_ids && q.option_ids
)
select ${COUNTS},
  (
    select json_agg(v.score_threshold)
    from (select distinct survey_id from slice) s
    left join scoring.survey v on v.account_id = $1::bigint and v.id = s.survey_id
  ) as thresholds`;

interface TallyRow {
  readonly respondents: number;
  readonly chosen: Chosen[] | null;
  readonly thresholds: (number | null)[] | null;
}

type Chosen = [questionId: number, optionIds: number[], answers: number];

/**
 * Adds up a score's inputs in PostgreSQL, for accounts that are not cached and for single surveys.
 * Returns the same integers as the cache.
 */
export async function tallyAnswers(db: Queryable, { accountId, questions, fromUs, toUs, surveyIds }: TallyQuery): Promise<Tally> {
  const scales = new Map<number, Scale>();
  for (const { id, scale } of questions) if (scale !== undefined) scales.set(id, scale);
  const slice = [accountId, [...scales.keys()], fromUs, toUs];
  const { rows } =
    surveyIds === undefined
      ? await db.query<TallyRow>(TALLY, slice)
      : await db.query<TallyRow>(TALLY_OF_SURVEYS, [...slice, surveyIds]);
  const [row] = rows;
  if (row === undefined) throw new Error('expected one row');
  const chosen = Map.groupBy(row.chosen ?? [], ([questionId]) => questionId);
  const tallies = [...chosen].flatMap(([questionId, counts]) => {
    const scale = scales.get(questionId);
    return scale === undefined ? [] : [tallyOf(scale, counts)];
  });
  const scoreThresholds = surveyIds === undefined ? undefined : (row.thresholds ?? []);
  return { tallies, respondents: row.respondents, scoreThresholds };
}

function tallyOf(scale: Scale, chosen: readonly Chosen[]) {
  let [sum, count] = [0, 0];
  for (const [, optionIds, answers] of chosen) {
    sum += (scale.numeratorOf(optionIds) ?? 0) * answers;
    count += answers;
  }
  return { sum, count, denominator: scale.denominator };
}

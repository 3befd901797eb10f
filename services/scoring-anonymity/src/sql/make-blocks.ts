import type { Client } from '@survey/postgres/database.ts';
import type { RespondentGroup } from '../rules/disclosure-guard.ts';

/** State of an account from which blocks are made. */
interface BlockState {
  readonly responses: number;
  readonly sequence: number;
  readonly thresholds: string;
  // Options of the filter attribute.
  readonly filterOptionIds: readonly number[];
}

const SETTINGS = `
select g.disclosure_guard, g.guard_settling_hours, array(
    select o.id from imports.attribute_option o where o.account_id = g.account_id and o.attribute_id = g.text_filter_attribute_id
  ) as option_ids
from admin.settings g where g.account_id = $1::bigint order by g.version desc limit 1`;

interface GuardSettings {
  readonly disclosure_guard: string;
  readonly guard_settling_hours: number;
  readonly option_ids: number[];
}

// The options of an employee or respondent that belong to the filter attribute, whose ids are
// the parameter.
const filterOptions = (optionIds: string, parameter: string): string =>
  `array(select o from unnest(${optionIds}) o where o = any(${parameter}::integer[]) order by o)`;

// Bounds and assignments stay as they were when the cycle settled.
const SETTLE = `
insert into scoring.settled_cycle (account_id, id, survey_id, opened_us, closed_us, assigned)
select c.account_id, c.id, c.survey_id, c.opened_us, c.closed_us, (
    select coalesce(jsonb_agg(jsonb_build_array(option_ids, employees)), '[]')
    from (
      select ${filterOptions('e.option_ids', '$3')} as option_ids, count(*) as employees
      from imports.employee e
      where e.account_id = c.account_id and e.id in (
        select a.employee_id from export.assignment a
        where a.account_id = c.account_id and a.survey_id = c.survey_id
          and a.created_at <= timestamptz 'epoch' + c.closed_us * interval '1 microsecond'
          and (a.deleted_at is null or a.deleted_at > timestamptz 'epoch' + c.opened_us * interval '1 microsecond'))
      group by 1
    ) assigned
  )
from scoring.cycle c
where c.account_id = $1::bigint and c.closed_us <= (extract(epoch from now()) - $2::integer * 3600) * 1e6
  and not exists (select from scoring.settled_cycle s where s.account_id = c.account_id and s.id = c.id)`;

// The digest changes with every threshold, and when a question is added.
const STATE = `
select s.responses, s.sequence, (
    select md5(string_agg(concat_ws(':', q.id, coalesce(v.score_threshold, 0), coalesce(v.text_threshold, 0)), ',' order by q.id))
    from scoring.question q join scoring.survey v on v.account_id = q.account_id and v.id = q.survey_id where q.account_id = s.account_id
  ) as thresholds
from scoring.account_state s where s.account_id = $1::bigint for update`;

/**
 * Settles the closed cycles of an account with the disclosure guard, and locks it against
 * concurrent ingestion, so that later responses have higher ordinals. Undefined without guard or
 * responses.
 */
export async function settleCycles(tx: Client, accountId: number): Promise<BlockState | undefined> {
  const { rows: settings } = await tx.query<GuardSettings>(SETTINGS, [accountId]);
  if (settings[0]?.disclosure_guard !== 'strict') return undefined;
  const { guard_settling_hours, option_ids } = settings[0];
  const { rows } = await tx.query<Omit<BlockState, 'filterOptionIds'>>(STATE, [accountId]);
  if (rows[0] === undefined) return undefined;
  await tx.query(SETTLE, [accountId, guard_settling_hours, option_ids]);
  return { ...rows[0], filterOptionIds: option_ids };
}

/** Returns a settled cycle with new responses, or that was judged by other thresholds. */
export async function nextCycle(tx: Client, accountId: number, { thresholds }: BlockState): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `select c.id from scoring.settled_cycle c
     where c.account_id = $1::bigint and (c.judged_thresholds is distinct from $2::text or exists (
       select from scoring.response r where r.account_id = c.account_id and r.cycle_id = c.id and r.sequence > c.judged_sequence))
     limit 1`,
    [accountId, thresholds],
  );
  return rows[0]?.id;
}

/** Numbers of questions whose answers are withheld, by reason; late: beside a block. */
interface Judgement extends Pick<BlockState, 'sequence' | 'thresholds'> {
  readonly accountId: number;
  readonly cycleId: string;
  readonly too_few: number;
  readonly dominated: number;
  readonly late: number;
}

/** Saves the state by which a cycle was judged, and the outcome for the anonymity report. */
export async function saveJudged(
  tx: Client,
  { accountId, cycleId, sequence, thresholds, too_few, dominated, late }: Judgement,
): Promise<void> {
  await tx.query(
    `update scoring.settled_cycle set judged_sequence = $3::bigint, judged_thresholds = $4::text,
       released = (select count(distinct question_id) from scoring.block where account_id = $1::bigint and cycle_id = $2::uuid),
       too_few = $5::integer, dominated = $6::integer, late = $7::integer
     where account_id = $1::bigint and id = $2::uuid`,
    [accountId, cycleId, sequence, thresholds, too_few, dominated, late],
  );
}

// Answers of a cycle that are in no block, of responses that arrived after the last block of their
// question. Respondents with the same options of the filter attribute have the same number; late
// answers have 0. Options are those of a respondent's first response in the cycle.
const FREE = `
with member as materialized (
  select respondent, option_ids, dense_rank() over (order by option_ids) as number
  from (
    select distinct on (respondent) respondent, ${filterOptions('option_ids', '$3')} as option_ids
    from scoring.response where account_id = $1::bigint and cycle_id = $2::uuid order by respondent, ordinal
  ) first
), free as materialized (
  select a.question_id, a.respondent, a.choice, case when b.question_id is null then m.number else 0 end as number
  from scoring.response r
  join scoring.answer a on a.account_id = r.account_id and a.response = r.ordinal
  join member m on m.respondent = a.respondent
  left join (
    select question_id, max(next_response) as next_response from scoring.block
    where account_id = $1::bigint and cycle_id = $2::uuid group by question_id
  ) b on b.question_id = a.question_id
  where r.account_id = $1::bigint and r.cycle_id = $2::uuid and r.ordinal >= coalesce(b.next_response, 0)
)`;

const GROUPS = `${FREE}
select q.id as "questionId", v.score_threshold as "configuredThreshold", f.number, count(*) as respondents,
  sum(f.answers)::bigint as answers, max(f.answers) as "mostAnswers"
from (select question_id, respondent, number, count(*) as answers from free group by question_id, respondent, number) f
join scoring.question q on q.account_id = $1::bigint and q.id = f.question_id
join scoring.survey v on v.account_id = q.account_id and v.id = q.survey_id
group by q.id, v.score_threshold, f.number
order by q.id, f.number`;

/** A group of the respondents of a cell. */
export interface FreeGroup extends RespondentGroup {
  readonly questionId: number;
  readonly configuredThreshold: number | null;
  // 0: late answers, beside a block.
  readonly number: number;
}

interface CycleScope {
  readonly accountId: number;
  readonly cycleId: string;
  readonly filterOptionIds: readonly number[];
}

/** Counts the answers of a cycle that are in no block, for each question and group. */
export async function readGroups(tx: Client, { accountId, cycleId, filterOptionIds }: CycleScope): Promise<FreeGroup[]> {
  const { rows } = await tx.query<FreeGroup>(GROUPS, [accountId, cycleId, filterOptionIds]);
  return rows;
}

// Materialized, because the planner expects few rows and would aggregate once per block.
const SAVE = `${FREE}, part as (
  select * from unnest($5::bigint[], $6::integer[], $7::integer[]) p (question_id, number, block)
), placed as materialized (
  select p.question_id, p.block, f.respondent, f.choice from free f join part p on p.question_id = f.question_id and p.number = f.number
), chosen as materialized (
  select question_id, block, jsonb_agg(jsonb_build_array(choice, answers) order by choice) as choices
  from (select question_id, block, choice, count(*) as answers from placed group by question_id, block, choice) c
  group by question_id, block
), given as materialized (
  select question_id, block, array_agg(respondent order by respondent) as respondents
  from (select distinct question_id, block, respondent from placed) r group by question_id, block
), grouped as materialized (
  select p.question_id, p.block, jsonb_agg(coalesce(to_jsonb(g.option_ids), '[]')) as option_groups
  from part p left join (select distinct number, option_ids from member) g on g.number = p.number group by p.question_id, p.block
)
insert into scoring.block (account_id, question_id, cycle_id, next_response, respondents, choices, option_groups)
select $1::bigint, question_id, $2::uuid, $4::integer, respondents, choices, option_groups
from chosen join given using (question_id, block) join grouped using (question_id, block)`;

interface NewBlocks extends CycleScope {
  // Groups of each block.
  readonly blocks: readonly (readonly FreeGroup[])[];
  // Ordinal of the next response that will be ingested.
  readonly nextResponse: number;
}

/** Saves blocks of answers that are in no block. */
export async function saveBlocks(tx: Client, scope: NewBlocks): Promise<void> {
  const { accountId, cycleId, filterOptionIds, blocks, nextResponse } = scope;
  if (blocks.length === 0) return;
  const parts = blocks.flatMap((groups, block) => groups.map(({ questionId, number }) => ({ questionId, number, block })));
  await tx.query(SAVE, [
    accountId,
    cycleId,
    filterOptionIds,
    nextResponse,
    parts.map(({ questionId }) => questionId),
    parts.map(({ number }) => number),
    parts.map(({ block }) => block),
  ]);
}

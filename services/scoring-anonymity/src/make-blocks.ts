import type { AccountWork } from '@survey/bus/account-work.ts';
import { allowLongStatements, type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { formBlocks, reasonWithheld } from './rules/disclosure-guard.ts';
import {
  AnswerCount,
  copyCycleAnswers,
  type CycleScope,
  filterOptions,
  findValueless,
  type FilterOptions,
  type FreeGroup,
  Members,
  readBlockQuestions,
  readMembers,
} from './cycle-answers.ts';

// Cycles settle hours after they close, so a minute more does not matter.
const POLL_MS = 60_000;
const MAX_STATEMENT_MS = 60_000;

/**
 * Creates the account work that makes blocks of answers for the disclosure guard, when cycles
 * settle and when late answers arrive (docs/rules/guard.md). Accounts without the guard have none.
 */
export function blockWork(pool: Pool): AccountWork {
  return {
    kind: 'blocks',
    wokenBy: 'events.settings.changed',
    sweep: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from scoring.accounts_with_guard() as id');
      return rows.map(({ id }) => id);
    },
    work: (accountId) => inAccount(pool, accountId, (tx) => makeBlocks(tx, accountId)),
  };
}

/**
 * Makes the blocks of one cycle. Returns the milliseconds until another cycle is due, 0 for
 * immediately, or undefined when none is left.
 */
export async function makeBlocks(tx: Client, accountId: number): Promise<number | undefined> {
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  const settled = await settleCycles(tx, accountId);
  if (settled === undefined) return undefined;
  const cycleId = await nextCycle(tx, accountId, settled);
  if (cycleId === undefined) return POLL_MS;
  const cycle = { ...settled, accountId, cycleId, nextResponse: settled.responses };
  const withheld = { too_few: 0, dominated: 0, late: 0 };
  for (const count of await countAnswers(tx, cycle)) {
    const groups = count.groups();
    const { id: questionId, configuredThreshold } = count.question;
    const blocks = formBlocks(configuredThreshold, groups);
    for (const indexes of blocks)
      await saveBlock(tx, { ...cycle, questionId }, blockOf(indexes.flatMap((index) => groups[index] ?? [])));
    if (blocks.length === 0 && groups.length > 0)
      withheld[count.isLate ? 'late' : reasonWithheld(configuredThreshold, groups)] += 1;
  }
  await saveJudged(tx, { ...cycle, ...withheld });
  return 0;
}

interface Cycle extends CycleScope {
  // Number of respondents of the account.
  readonly respondents: number;
}

/** Counts the answers of a cycle that have a value and are in no block, for each question. */
async function countAnswers(tx: Client, cycle: Cycle): Promise<AnswerCount[]> {
  const members = new Members(await readMembers(tx, cycle), cycle.respondents);
  const questions = new Map((await readBlockQuestions(tx, cycle)).map((question) => [question.id, question]));
  const countBut = async (valueless: ReadonlyMap<number, ReadonlySet<number>>): Promise<AnswerCount[]> => {
    const counts = new Map<number, AnswerCount>();
    await copyCycleAnswers(tx, cycle, (response, questionId, respondent, choice) => {
      let count = counts.get(questionId);
      if (count === undefined) {
        const question = questions.get(questionId);
        // Its blocks are made when the question is known.
        if (question === undefined) return;
        counts.set(questionId, (count = new AnswerCount(question, members, valueless.get(questionId))));
      }
      count.add(response, respondent, choice);
    });
    return [...counts.values()];
  };
  const counts = await countBut(new Map());
  // Rare, so that all answers are read once as a rule.
  const valueless = await findValueless(tx, cycle, counts);
  return valueless.size === 0 ? counts : countBut(valueless);
}

function blockOf(groups: readonly FreeGroup[]): NewBlock {
  const choices = new Map<number, number>();
  for (const group of groups)
    for (const [choice, answers] of group.choices) choices.set(choice, (choices.get(choice) ?? 0) + answers);
  return {
    respondents: groups.flatMap(({ ordinals }) => ordinals).sort((a, b) => a - b),
    choices: [...choices],
    optionGroups: groups.map(({ optionIds }) => optionIds),
  };
}

/** State of an account from which blocks are made. */
interface BlockState {
  readonly responses: number;
  readonly respondents: number;
  readonly sequence: number;
  readonly thresholds: string;
  readonly currentOptions: FilterOptions;
}

const SETTINGS = `
select g.disclosure_guard, g.guard_settling_hours, (
    select coalesce(json_agg(json_build_array(o.id, o.current)), '[]') from (
      select id, id as current from imports.attribute_option
      where account_id = $1::bigint and attribute_id = g.text_filter_attribute_id
      union all
      select id, option_id from imports.option_alias
      where account_id = $1::bigint and attribute_id = g.text_filter_attribute_id
    ) o
  ) as options
from admin.settings g where g.account_id = $1::bigint order by g.version desc limit 1`;

interface GuardSettings {
  readonly disclosure_guard: string;
  readonly guard_settling_hours: number;
  // By the option that it is now.
  readonly options: [id: number, current: number][];
}

// Bounds and assignments are kept as they were when the cycle settled.
const SETTLE = `
insert into scoring.settled_cycle (account_id, id, survey_id, opened_us, closed_us, assigned)
select c.account_id, c.id, c.survey_id, c.opened_us, c.closed_us, (
    select coalesce(jsonb_agg(jsonb_build_array(option_ids, employees)), '[]')
    from (
      select ${filterOptions('e.option_ids', '$3')} as option_ids, count(*) as employees
      from imports.employee e
      where e.account_id = $1::bigint and e.id in (
        select a.employee_id from export.assignment a
        where a.account_id = $1::bigint and a.survey_id = c.survey_id
          and a.created_at <= timestamptz 'epoch' + c.closed_us * interval '1 microsecond'
          and (a.deleted_at is null or a.deleted_at > timestamptz 'epoch' + c.opened_us * interval '1 microsecond'))
      group by 1
    ) assigned
  )
from scoring.cycle c
where c.account_id = $1::bigint and c.closed_us <= (extract(epoch from now()) - $2::integer * 3600) * 1e6
  and not exists (select from scoring.settled_cycle s where s.account_id = $1::bigint and s.id = c.id)
returning 1`;

// The digest changes with every threshold, and when a question is added.
const STATE = `
select s.responses, s.respondents, s.sequence, (
    select md5(string_agg(concat_ws(':', q.id, coalesce(v.score_threshold, 0), coalesce(v.text_threshold, 0)), ',' order by q.id))
    from scoring.question q join scoring.survey v on v.account_id = q.account_id and v.id = q.survey_id where q.account_id = $1::bigint
  ) as thresholds
from scoring.account_state s where s.account_id = $1::bigint for update`;

/**
 * Settles the closed cycles of an account with the disclosure guard, and locks it against
 * concurrent ingestion, so that later responses have higher ordinals. Undefined without guard or
 * responses.
 */
async function settleCycles(tx: Client, accountId: number): Promise<BlockState | undefined> {
  const { rows: settings } = await tx.query<GuardSettings>(SETTINGS, [accountId]);
  if (settings[0]?.disclosure_guard !== 'strict') return undefined;
  const { guard_settling_hours, options } = settings[0];
  const currentOptions = new Map(options);
  const { rows } = await tx.query<Omit<BlockState, 'currentOptions'>>(STATE, [accountId]);
  if (rows[0] === undefined) return undefined;
  await tx.query(SETTLE, [accountId, guard_settling_hours, [...currentOptions.keys()]]);
  return { ...rows[0], currentOptions };
}

/** Returns a settled cycle that has new responses, or was judged by other thresholds. */
async function nextCycle(tx: Client, accountId: number, { thresholds }: BlockState): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `select c.id from scoring.settled_cycle c
     where c.account_id = $1::bigint and (c.judged_thresholds is distinct from $2::text or exists (
       select from scoring.response r where r.account_id = $1::bigint and r.cycle_id = c.id and r.sequence > c.judged_sequence))
     limit 1`,
    [accountId, thresholds],
  );
  return rows[0]?.id;
}

/**
 * Numbers of questions whose answers are withheld, by reason; late: the cell already has a block.
 */
interface Judgement extends Pick<BlockState, 'sequence' | 'thresholds'> {
  readonly accountId: number;
  readonly cycleId: string;
  readonly too_few: number;
  readonly dominated: number;
  readonly late: number;
}

/** Saves the state by which a cycle was judged, and the outcome for the anonymity report. */
async function saveJudged(
  tx: Client,
  { accountId, cycleId, sequence, thresholds, too_few, dominated, late }: Judgement,
): Promise<void> {
  await tx.query(
    `update scoring.settled_cycle set judged_sequence = $3::bigint, judged_thresholds = $4::text,
       lowest_block = b.lowest, highest_block = b.highest, released = b.questions,
       too_few = $5::integer, dominated = $6::integer, late = $7::integer
     from (
       select min(id) as lowest, max(id) as highest, count(distinct question_id) as questions
       from scoring.block where account_id = $1::bigint and cycle_id = $2::uuid
     ) b
     where account_id = $1::bigint and id = $2::uuid`,
    [accountId, cycleId, sequence, thresholds, too_few, dominated, late],
  );
}

/** A new block of answers. */
interface NewBlock {
  // Sorted.
  readonly respondents: readonly number[];
  readonly choices: readonly (readonly [choice: number, answers: number])[];
  // Options of each group of respondents.
  readonly optionGroups: readonly (readonly number[])[];
}

interface BlockScope extends CycleScope {
  readonly questionId: number;
  // Ordinal of the next response that will be ingested.
  readonly nextResponse: number;
}

async function saveBlock(tx: Client, scope: BlockScope, block: NewBlock): Promise<void> {
  await tx.query(
    `insert into scoring.block (account_id, question_id, cycle_id, next_response, respondents, choices, option_groups)
     values ($1::bigint, $2::bigint, $3::uuid, $4::integer, $5::integer[], $6::jsonb, $7::jsonb)`,
    [
      scope.accountId,
      scope.questionId,
      scope.cycleId,
      scope.nextResponse,
      // The driver takes four times as long for an array.
      `{${block.respondents.join()}}`,
      JSON.stringify(block.choices),
      JSON.stringify(block.optionGroups),
    ],
  );
}

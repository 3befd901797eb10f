import {
  type ApplyFacts,
  type RejectedFact,
  type ValidFact,
  isNewer,
  type Version,
  latestByKey,
} from '@survey/bus/facts/fact.ts';
import type { Client } from '@survey/postgres/database.ts';
import { microsecondsOf } from '@survey/formats/instant.ts';
import type { AnswerOption } from '../rules/scale.ts';
import { lockAccountState } from './account-state.ts';

const SAVE_SURVEYS = `
insert into scoring.survey as kept (account_id, id, revision, digest, score_threshold, text_threshold)
select $1::bigint, f.* from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[]) f (id)
order by f.id
on conflict (account_id, id) do update set revision = excluded.revision, digest = excluded.digest,
  score_threshold = excluded.score_threshold, text_threshold = excluded.text_threshold
where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)`;

/** Stores the anonymity thresholds of surveys and ignores their other fields. */
export const applySurveys: ApplyFacts<'survey'> = async (tx, accountId, facts) => {
  const surveys = latestByKey(facts, ({ content }) => content.id);
  await tx.query(SAVE_SURVEYS, [
    accountId,
    surveys.map(({ content }) => content.id),
    surveys.map(({ revision }) => revision),
    surveys.map(({ digest }) => digest),
    surveys.map(({ content }) => content.score_threshold),
    surveys.map(({ content }) => content.text_threshold),
  ]);
};

const SAVE_CYCLES = `
insert into scoring.cycle as kept (account_id, id, revision, digest, survey_id, opened_us, closed_us)
select $1::bigint, f.* from unnest($2::uuid[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bigint[]) f (id)
order by f.id
on conflict (account_id, id) do update set revision = excluded.revision, digest = excluded.digest, survey_id = excluded.survey_id,
  opened_us = excluded.opened_us, closed_us = excluded.closed_us
where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)`;

/** Stores the bounds of cycles for the disclosure guard. */
export const applyCycles: ApplyFacts<'cycle'> = async (tx, accountId, facts) => {
  const cycles = latestByKey(facts, ({ content }) => content.id);
  await tx.query(SAVE_CYCLES, [
    accountId,
    cycles.map(({ content }) => content.id),
    cycles.map(({ revision }) => revision),
    cycles.map(({ digest }) => digest),
    cycles.map(({ content }) => content.survey_id),
    cycles.map(({ content }) => microsecondsOf(content.opened_at)),
    cycles.map(({ content }) => (content.closed_at == null ? null : microsecondsOf(content.closed_at))),
  ]);
};

/** An option that only earlier revisions of its question have, as the last of them had it. */
interface RemovedOption extends AnswerOption {
  readonly revision: number;
  // Hexadecimal.
  readonly digest: string;
}

interface StoredQuestion extends Version {
  readonly id: number;
  readonly surveyId: number;
  readonly type: string;
  readonly options: readonly AnswerOption[];
  readonly removed: readonly RemovedOption[];
}

// The last removed options of a question that are kept (docs/limits.md).
const MAX_REMOVED = 10_000;

/**
 * Stores questions and the values of their options. An edit affects old answers at once, because
 * answers are stored as choices, not as values. Options that it removes are kept, so that their
 * answers still count (rule SCORES-EDITS-1).
 *
 * Whether an option counts is fixed once a closed cycle has answers to it. The rest of such an edit
 * is applied, and the fact is reported (rule SCORES-EDITS-3).
 */
export const applyQuestions: ApplyFacts<'question'> = async (tx, accountId, facts) => {
  // No answer arrives between the search for answers and the end of the transaction.
  await lockAccountState(tx, accountId);
  const byQuestion = Map.groupBy(facts, ({ content }) => content.id);
  const stored = await readQuestions(tx, accountId, [...byQuestion.keys()]);
  const edited: StoredQuestion[] = [];
  const rejected: RejectedFact[] = [];
  for (const [id, revisions] of byQuestion) {
    const before = stored.get(id);
    const after = revisions.reduce(addRevision, before);
    if (after === undefined) continue;
    const changed = before === undefined ? [] : changedMarks(before, after);
    const fixed = changed.length === 0 ? new Set<number>() : await findFixedOptions(tx, accountId, id, changed);
    const restored = { ...after, options: swapMarks(after.options, fixed), removed: swapMarks(after.removed, fixed) };
    edited.push(restored);
    for (const incoming of revisions) {
      const refused = changedMarks(restored, { options: optionsOf(incoming), removed: [] }).filter((option) => fixed.has(option));
      if (refused.length > 0) rejected.push({ incoming, reason: `counts_fixed:${refused.join(', ')}` });
    }
  }
  await saveQuestions(tx, accountId, edited);
  return rejected;
};

/**
 * Adds a revision, in whatever order revisions arrive. An option that later ones omit is kept, as
 * the latest revision that lists it describes it.
 */
function addRevision(before: StoredQuestion | undefined, fact: ValidFact<'question'>): StoredQuestion {
  const { revision, digest, content } = fact;
  const { id, survey_id: surveyId, type } = content;
  const stated = { id, surveyId, type, revision, digest, options: optionsOf(fact), removed: [] };
  if (before === undefined) return stated;
  const [current, past] = isNewer(fact, before) ? [stated, before] : [before, stated];
  const removed = new Map(before.removed.map((option) => [option.id, option]));
  for (const option of past.options) {
    const other = removed.get(option.id);
    if (other === undefined || isNewer(past, versionOf(other))) removed.set(option.id, removedFrom(option, past));
  }
  for (const { id } of current.options) removed.delete(id);
  const latestFirst = [...removed.values()].sort(
    (a, b) => b.revision - a.revision || b.digest.localeCompare(a.digest) || a.id - b.id,
  );
  return { ...current, removed: latestFirst.slice(0, MAX_REMOVED) };
}

function optionsOf({ content }: ValidFact<'question'>): AnswerOption[] {
  return content.answer_options.map(({ id, value, is_maximum, is_minimum, counts }) => {
    return { id, value, is_maximum, is_minimum, counts: counts ?? true };
  });
}

// A removed option is neither end of the scale.
function removedFrom(option: AnswerOption, { revision, digest }: Version): RemovedOption {
  return { ...option, is_maximum: false, is_minimum: false, revision, digest: digest.toString('hex') };
}

const versionOf = ({ revision, digest }: RemovedOption): Version => ({ revision, digest: Buffer.from(digest, 'hex') });

type Options = Pick<StoredQuestion, 'options' | 'removed'>;

const allOf = ({ options, removed }: Options): AnswerOption[] => [...options, ...removed];

const isCounted = ({ counts }: AnswerOption): boolean => counts !== false;

function changedMarks(before: Options, after: Options): number[] {
  const marks = new Map(allOf(before).map((option) => [option.id, isCounted(option)]));
  return allOf(after).flatMap((option) => (marks.get(option.id) === !isCounted(option) ? [option.id] : []));
}

function swapMarks<O extends AnswerOption>(options: readonly O[], ids: ReadonlySet<number>): O[] {
  return options.map((option) => (ids.has(option.id) ? { ...option, counts: !isCounted(option) } : option));
}

async function readQuestions(tx: Client, accountId: number, ids: readonly number[]): Promise<Map<number, StoredQuestion>> {
  const { rows } = await tx.query<StoredQuestion>(
    `select id, revision, digest, survey_id as "surveyId", type, answer_options as options, removed_options as removed
     from scoring.question where account_id = $1::bigint and id = any($2::bigint[])`,
    [accountId, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

// A block keeps answers that were corrected since, or whose cycle was reopened.
const FIND_FIXED = `
select distinct o as id
from unnest($3::bigint[]) o
join scoring.choice c on c.account_id = $1::bigint and o = any(c.option_ids)
where exists (
  select from scoring.answer a
  join scoring.response r on r.account_id = a.account_id and r.ordinal = a.response
  join scoring.cycle y on y.account_id = r.account_id and y.id = r.cycle_id
  where a.account_id = $1::bigint and a.question_id = $2::bigint and a.choice = c.id and y.closed_us <= extract(epoch from now()) * 1e6
) or exists (
  select from scoring.block b, jsonb_array_elements(b.choices) n
  where b.account_id = $1::bigint and b.question_id = $2::bigint and (n ->> 0)::integer = c.id
)`;

/** Returns the options to which a closed cycle or a block has answers. */
async function findFixedOptions(tx: Client, accountId: number, questionId: number, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await tx.query<{ id: number }>(FIND_FIXED, [accountId, questionId, ids]);
  return new Set(rows.map(({ id }) => id));
}

const SAVE = `
insert into scoring.question (account_id, id, revision, digest, survey_id, type, answer_options, removed_options)
select $1::bigint, f.*
from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::text[], $7::jsonb[], $8::jsonb[]) f (id)
order by f.id
on conflict (account_id, id) do update set revision = excluded.revision, digest = excluded.digest, survey_id = excluded.survey_id,
  type = excluded.type, answer_options = excluded.answer_options, removed_options = excluded.removed_options`;

async function saveQuestions(tx: Client, accountId: number, questions: readonly StoredQuestion[]): Promise<void> {
  await tx.query(SAVE, [
    accountId,
    questions.map(({ id }) => id),
    questions.map(({ revision }) => revision),
    questions.map(({ digest }) => digest),
    questions.map(({ surveyId }) => surveyId),
    questions.map(({ type }) => type),
    questions.map(({ options }) => JSON.stringify(options)),
    questions.map(({ removed }) => JSON.stringify(removed)),
  ]);
}

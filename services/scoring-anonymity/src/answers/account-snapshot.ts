import type { Client } from '@survey/postgres/database.ts';
import { TIMELINE } from '@survey/postgres/replica/timeline.ts';
import type { AnswerOption } from '../rules/scale.ts';

/** One answer. */
export interface AnswerRow {
  // Microseconds since 1970.
  readonly submittedUs: number;
  // Ordinal of the respondent within the account.
  readonly respondent: number;
  // Ordinal of the choice within the account.
  readonly choice: number;
}

interface ChangedAnswer extends AnswerRow {
  readonly questionId: number;
  // Sequence of the response that added the answer, or of the correction that removed it.
  readonly sequence: number;
}

interface RemovedAnswer extends ChangedAnswer {
  // Sequence of the response that had added the answer.
  readonly addedSequence: number;
}

/**
 * Changes since an earlier sequence, from one database snapshot whose highest sequence is
 * `sequence`.
 */
export interface AnswerChanges {
  readonly sequence: number;
  readonly respondents: number;
  // New choices; their ids continue after the known ones.
  readonly choices: readonly { readonly id: number; readonly optionIds: readonly number[] }[];
  readonly added: readonly ChangedAnswer[];
  readonly removed: readonly RemovedAnswer[];
}

/** A requested question with its survey, from one database snapshot. */
export interface FoundQuestion {
  readonly id: number;
  readonly type: string;
  // Changes whenever the value of an answer can change.
  readonly digest: string;
  readonly scoreThreshold: number | null;
  // With the removed ones. Null when the caller already knows the options of this digest.
  readonly options: readonly AnswerOption[] | null;
}

export interface AccountSnapshot {
  readonly sequence: number;
  readonly timeline: number;
  // Number of answer rows in the account.
  readonly answers: number;
  readonly questions: readonly FoundQuestion[];
  // Whether the account has the disclosure guard.
  readonly isGuarded: boolean;
  // Undefined when they were not requested, or exceed MAX_CHANGES.
  readonly changes: AnswerChanges | undefined;
}

interface SnapshotQuery {
  readonly accountId: number;
  readonly questionIds: readonly number[];
  // Scales that the caller has cached, by question id.
  readonly cachedScales: ReadonlyMap<number, { readonly digest: string }>;
  // State of the caller's cached answers, if any.
  readonly cached?: { readonly sequence: number; readonly timeline: number; readonly choices: number } | undefined;
}

/** Maximum changed answers per snapshot; reading them takes a few 100 ms. */
export const MAX_CHANGES = 50_000;

// Reads everything a score depends on from one database snapshot: thresholds, question types, and
// the answers changed since the caller's last read. Usually nothing has changed, and only the first
// two subqueries run. Questions of an unknown survey are unknown. Sequences have an upper limit, so
// that a kept plan expects few of them and reads them by index.
const SNAPSHOT = `
select
  coalesce(s.sequence, 0) as sequence,
  ${TIMELINE} as timeline,
  coalesce(s.answers, 0) as answers,
  coalesce(s.respondents, 0) as respondents,
  (
    select json_agg(json_build_object(
      'id', q.id, 'type', q.type, 'digest', d.digest, 'scoreThreshold', v.score_threshold,
      'options', case when d.digest <> k.digest then q.answer_options || q.removed_options end))
    from unnest($2::bigint[], $3::text[]) k (id, digest)
    join scoring.question q on q.account_id = $1::bigint and q.id = k.id
    join scoring.survey v on v.account_id = q.account_id and v.id = q.survey_id
    cross join lateral (select encode(q.digest, 'hex') || md5(q.removed_options::text) as digest) d
  ) as questions,
  coalesce(
    (select g.disclosure_guard = 'strict' from admin.settings g where g.account_id = $1::bigint order by g.version desc limit 1), false
  ) as guarded,
  c.*
from (values (true)) one (row)
left join scoring.account_state s on s.account_id = $1::bigint
left join lateral (
  select
    (
      select json_agg(json_build_array(n.id, n.option_ids) order by n.id)
      from (
        select n.id, n.option_ids from scoring.choice n
        where n.account_id = $1::bigint and n.id >= $5::integer limit $6::bigint + 1
      ) n
    ) as choices,
    (
      select json_agg(json_build_array(a.sequence, a.question_id, a.submitted_us, a.respondent, a.choice))
      from (
        select r.sequence, a.question_id, a.submitted_us, a.respondent, a.choice
        from scoring.response r
        join scoring.answer a on a.account_id = r.account_id and a.response = r.ordinal
        where r.account_id = $1::bigint and r.sequence > $4::bigint and r.sequence <= $4::bigint + $6::bigint
        limit $6::bigint + 1
      ) a
    ) as added,
    (
      select json_agg(json_build_array(r.sequence, r.question_id, r.submitted_us, r.respondent, r.choice, r.added_sequence))
      from (
        select r.* from scoring.removed_answer r
        where r.account_id = $1::bigint and r.sequence > $4::bigint and r.sequence <= $4::bigint + $6::bigint
        limit $6::bigint + 1
      ) r
    ) as removed
  -- Each response has one sequence, so larger gaps exceed the limit anyway.
  where s.sequence > $4::bigint and s.sequence - $4::bigint <= $6::bigint and ${TIMELINE} = $7::integer
) c on true`;

type Numbers = [sequence: number, questionId: number, submittedUs: number, respondent: number, choice: number];

interface SnapshotRow {
  sequence: number;
  timeline: number;
  answers: number;
  respondents: number;
  questions: FoundQuestion[] | null;
  guarded: boolean;
  choices: [id: number, optionIds: number[]][] | null;
  added: Numbers[] | null;
  removed: [...Numbers, addedSequence: number][] | null;
}

/**
 * Reads what a score needs besides the caller's cached answers. A single statement, so it has one
 * database snapshot without a transaction.
 */
export async function readSnapshot(db: Client, query: SnapshotQuery): Promise<AccountSnapshot> {
  const { accountId, questionIds, cachedScales, cached } = query;
  const values = [
    accountId,
    questionIds,
    questionIds.map((id) => cachedScales.get(id)?.digest ?? ''),
    cached?.sequence ?? null,
    cached?.choices ?? null,
    MAX_CHANGES,
    cached?.timeline ?? null,
  ];
  const { rows } = await db.query<SnapshotRow>({ name: 'score_snapshot', text: SNAPSHOT, values });
  const [row] = rows;
  if (row === undefined) throw new Error('expected one row');
  const { sequence, timeline, answers } = row;
  const comesAlong = cached !== undefined && cached.timeline === timeline && sequence - cached.sequence <= MAX_CHANGES;
  return {
    sequence,
    timeline,
    answers,
    questions: row.questions ?? [],
    isGuarded: row.guarded,
    changes: comesAlong && isWithinLimit(row) ? changesOf(row) : undefined,
  };
}

function isWithinLimit({ choices, added, removed }: SnapshotRow): boolean {
  return [choices, added, removed].every((rows) => (rows?.length ?? 0) <= MAX_CHANGES);
}

function changesOf({ sequence, respondents, choices, added, removed }: SnapshotRow): AnswerChanges {
  return {
    sequence,
    respondents,
    choices: (choices ?? []).map(([id, optionIds]) => ({ id, optionIds })),
    added: (added ?? []).map(changedAnswer),
    removed: (removed ?? []).map(([sequence, questionId, submittedUs, respondent, choice, addedSequence]) => ({
      sequence,
      questionId,
      submittedUs,
      respondent,
      choice,
      addedSequence,
    })),
  };
}

function changedAnswer([sequence, questionId, submittedUs, respondent, choice]: Numbers) {
  return { sequence, questionId, submittedUs, respondent, choice };
}

import type { ApplyFacts } from '@survey/bus/facts/fact.ts';
import { latestByKey } from '@survey/bus/facts/version.ts';
import { microsecondsOf } from '@survey/formats/microseconds.ts';

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

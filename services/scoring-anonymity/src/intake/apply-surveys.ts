import type { ApplyFacts } from '@survey/facts/fact.ts';
import { latestByKey } from '@survey/facts/version.ts';

const SAVE = `
insert into scoring.survey as kept (account_id, id, revision, digest, score_threshold, text_threshold)
select $1::bigint, f.* from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[]) f (id)
order by f.id
on conflict (account_id, id) do update set revision = excluded.revision, digest = excluded.digest,
  score_threshold = excluded.score_threshold, text_threshold = excluded.text_threshold
where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)`;

/** Stores the anonymity thresholds of surveys and ignores their other fields. */
export const applySurveys: ApplyFacts<'survey'> = async (tx, accountId, facts) => {
  const surveys = latestByKey(facts, ({ content }) => content.id);
  await tx.query(SAVE, [
    accountId,
    surveys.map(({ content }) => content.id),
    surveys.map(({ revision }) => revision),
    surveys.map(({ digest }) => digest),
    surveys.map(({ content }) => content.score_threshold),
    surveys.map(({ content }) => content.text_threshold),
  ]);
};

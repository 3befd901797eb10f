import type { FactConsumer, IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import { latestByKey, parseFacts } from '@survey/bus/read-facts.ts';

interface SurveyFact {
  readonly id: number;
  readonly incoming: IncomingFact;
  readonly scoreThreshold: number | null;
  readonly textThreshold: number | null;
}

const SAVE = `
insert into scoring.survey as kept (account_id, id, revision, digest, score_threshold, text_threshold)
select $1::bigint, f.* from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[]) f (id)
order by f.id
on conflict (account_id, id) do update set revision = excluded.revision, digest = excluded.digest,
  score_threshold = excluded.score_threshold, text_threshold = excluded.text_threshold
where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)`;

/** Stores the anonymity thresholds of surveys and ignores their other fields. */
export const applySurveys: FactConsumer['apply'] = async (tx, accountId, facts) => {
  const { valid, rejected } = parseFacts(facts, readSurvey);
  const surveys = latestByKey(valid, ({ id }) => id);
  await tx.query(SAVE, [
    accountId,
    surveys.map(({ id }) => id),
    surveys.map(({ incoming }) => incoming.revision),
    surveys.map(({ incoming }) => incoming.digest),
    surveys.map(({ scoreThreshold }) => scoreThreshold),
    surveys.map(({ textThreshold }) => textThreshold),
  ]);
  return rejected;
};

function readSurvey(incoming: IncomingFact): SurveyFact | RejectedFact {
  const { survey } = incoming.fact;
  if (survey == null) return { incoming, reason: 'is a fact of another kind than its subject' };
  if (survey.id < 1) return { incoming, reason: 'id must be an integer from 1' };
  return {
    id: survey.id,
    incoming,
    scoreThreshold: survey.score_threshold ?? null,
    textThreshold: survey.text_threshold ?? null,
  };
}

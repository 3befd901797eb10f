import { type ApplyFacts, latestByKey } from '@survey/bus/facts/fact.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';

const SAVE = `
insert into text.question as kept (account_id, id, revision, digest, survey_id, type, name)
select $1::bigint, f.* from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::text[], $7::jsonb[]) f (id)
order by f.id
on conflict (account_id, id) do update set revision = excluded.revision, digest = excluded.digest, survey_id = excluded.survey_id,
  type = excluded.type, name = excluded.name
where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)`;

/**
 * Stores question wordings and which questions are free-text. A correction applies at once, also to
 * earlier answers.
 */
export const applyQuestions: ApplyFacts<'question'> = async (tx, accountId, facts) => {
  const questions = latestByKey(facts, ({ content }) => content.id);
  const state = await lockAccountState(tx, accountId);
  await tx.query(SAVE, [
    accountId,
    questions.map(({ content }) => content.id),
    questions.map(({ revision }) => revision),
    questions.map(({ digest }) => digest),
    questions.map(({ content }) => content.survey_id),
    questions.map(({ content }) => content.type),
    questions.map(({ content }) => JSON.stringify(content.name)),
  ]);
  state.sequence += 1;
  await saveAccountState(tx, accountId, state);
};

import type { QuestionLine } from '@survey/dataset/lines/question.ts';
import type { ApplyFacts } from '@survey/facts/fact.ts';
import { latestByKey } from '@survey/facts/version.ts';

const SAVE = `
insert into scoring.question as kept (account_id, id, revision, digest, survey_id, type, answer_options)
select $1::bigint, f.* from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::text[], $7::jsonb[]) f (id)
order by f.id
on conflict (account_id, id) do update set revision = excluded.revision, digest = excluded.digest, survey_id = excluded.survey_id,
  type = excluded.type, answer_options = excluded.answer_options
where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)`;

/**
 * Stores questions and the values of their options. A corrected question affects old answers at
 * once, because answers are stored as choices, not as values.
 */
export const applyQuestions: ApplyFacts<'question'> = async (tx, accountId, facts) => {
  const questions = latestByKey(facts, ({ content }) => content.id);
  await tx.query(SAVE, [
    accountId,
    questions.map(({ content }) => content.id),
    questions.map(({ revision }) => revision),
    questions.map(({ digest }) => digest),
    questions.map(({ content }) => content.survey_id),
    questions.map(({ content }) => content.type),
    questions.map(({ content }) => JSON.stringify(content.answer_options.map(valueOf))),
  ]);
};

function valueOf({ id, value, is_maximum, is_minimum }: QuestionLine['answer_options'][number]): object {
  return { id, value, is_maximum, is_minimum };
}

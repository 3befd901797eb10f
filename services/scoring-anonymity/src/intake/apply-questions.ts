import type { FactConsumer, IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import type { AnswerOption } from '../rules/scale.ts';
import { latestByKey, parseFacts } from '@survey/bus/read-facts.ts';

interface QuestionFact {
  readonly id: number;
  readonly incoming: IncomingFact;
  readonly surveyId: number;
  readonly type: string;
  readonly options: readonly AnswerOption[];
}

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
export const applyQuestions: FactConsumer['apply'] = async (tx, accountId, facts) => {
  const { valid, rejected } = parseFacts(facts, readQuestion);
  const questions = latestByKey(valid, ({ id }) => id);
  await tx.query(SAVE, [
    accountId,
    questions.map(({ id }) => id),
    questions.map(({ incoming }) => incoming.revision),
    questions.map(({ incoming }) => incoming.digest),
    questions.map(({ surveyId }) => surveyId),
    questions.map(({ type }) => type),
    questions.map(({ options }) => JSON.stringify(options)),
  ]);
  return rejected;
};

function readQuestion(incoming: IncomingFact): QuestionFact | RejectedFact {
  const { question } = incoming.fact;
  if (question == null) return { incoming, reason: 'is a fact of another kind than its subject' };
  const { id, survey_id: surveyId, type, answer_options } = question;
  if (id < 1 || surveyId < 1) return { incoming, reason: 'id and survey_id must be integers from 1' };
  if (type === '' || type.includes('\0')) return { incoming, reason: 'type must be a word' };
  if (!answer_options.every(({ value }) => Number.isFinite(value))) {
    return { incoming, reason: 'answer_options.value must be a number' };
  }
  const options = answer_options.map(({ id, value, is_maximum, is_minimum }) => ({ id, value, is_maximum, is_minimum }));
  return { id, incoming, surveyId, type, options };
}

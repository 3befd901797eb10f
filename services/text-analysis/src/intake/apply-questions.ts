import type { FactConsumer, IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import { latestByKey, parseFacts } from '@survey/bus/read-facts.ts';
import { lockAccountState, saveAccountState } from '../sql/account-state.ts';

interface QuestionFact {
  readonly id: number;
  readonly incoming: IncomingFact;
  readonly surveyId: number;
  readonly type: string;
  // By language.
  readonly name: Readonly<Record<string, string>>;
}

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
export const applyQuestions: FactConsumer['apply'] = async (tx, accountId, facts) => {
  const { valid, rejected } = parseFacts(facts, readQuestion);
  const questions = latestByKey(valid, ({ id }) => id);
  const state = await lockAccountState(tx, accountId);
  await tx.query(SAVE, [
    accountId,
    questions.map(({ id }) => id),
    questions.map(({ incoming }) => incoming.revision),
    questions.map(({ incoming }) => incoming.digest),
    questions.map(({ surveyId }) => surveyId),
    questions.map(({ type }) => type),
    questions.map(({ name }) => JSON.stringify(name)),
  ]);
  state.sequence += 1;
  await saveAccountState(tx, accountId, state);
  return rejected;
};

function readQuestion(incoming: IncomingFact): QuestionFact | RejectedFact {
  const { question } = incoming.fact;
  if (question == null) return { incoming, reason: 'is a fact of another kind than its subject' };
  const { id, survey_id: surveyId, type, name } = question;
  if (id < 1 || surveyId < 1) return { incoming, reason: 'id and survey_id must be integers from 1' };
  if (type === '' || type.includes('\0')) return { incoming, reason: 'type must be a word' };
  if (JSON.stringify(name).includes('\\u0000')) return { incoming, reason: 'name contains U+0000, which cannot be stored' };
  return { id, incoming, surveyId, type, name };
}

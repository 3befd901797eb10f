import type { AnswerOption, Question } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import type { FactTable } from './fact-table.ts';
import { nonEmpty, positiveId, translated, InvalidFactError } from './fields.ts';

/** A row of export.question. */
export interface QuestionRow {
  id: number;
  survey_id: number;
  name: object;
  type: string;
  is_deleted: boolean;
  answer_options: object[];
}

export const QUESTIONS: FactTable<QuestionRow> = {
  table: 'export.question',
  key: 'id',
  columns: {
    id: 'bigint',
    survey_id: 'bigint',
    name: 'jsonb',
    type: 'text',
    is_deleted: 'boolean',
    answer_options: 'jsonb',
  },
  read: ({ question }) => (question == null ? undefined : readQuestion(question)),
};

function readQuestion({ id, survey_id, name, type, is_deleted, answer_options }: Question): QuestionRow {
  const options = answer_options.map(readOption);
  return {
    id: positiveId(id, 'id'),
    survey_id: positiveId(survey_id, 'survey_id'),
    name: translated(name, 'name'),
    type: nonEmpty(type, 'type'),
    is_deleted,
    // Question (docs/rules/resources.md): textfield has an empty array, even if the fact has
    // options.
    answer_options: type === 'textfield' ? [] : options,
  };
}

function readOption({ id, name, value, is_maximum, is_minimum }: AnswerOption): object {
  if (!Number.isFinite(value)) throw new InvalidFactError('answer_options.value must be a number');
  return {
    id: positiveId(id, 'answer_options.id'),
    name: translated(name, 'answer_options.name'),
    value,
    is_maximum,
    is_minimum,
  };
}

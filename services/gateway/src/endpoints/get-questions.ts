import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { z } from 'zod';
import { extensible, type Operation, pageOf, translated } from './operation.ts';
import { listEndpoint } from './list-endpoint.ts';
import { paging } from './query-parameters.ts';
import type { ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

const TYPES = ['stars', 'textfield', 'single_select', 'multiple_select', 'ranked_select', 'smiley_faces', 'nps'];

const answerOption = z
  .object({
    id: z.int().describe('The id of the answer option.'),
    name: translated,
    value: z.number().describe('Usable for score calculation.'),
    is_maximum: z.boolean().describe('The best possible answer.'),
    is_minimum: z.boolean().describe('The worst possible answer.'),
  })
  .meta({ id: 'AnswerOption' });

const question = z
  .object({
    id: z.int().describe('The id of the question.'),
    name: translated,
    type: z.string().meta(extensible(TYPES)),
    is_deleted: z.boolean().describe('true if deleted from the survey.'),
    answer_options: z.array(answerOption).describe('Every option; empty for textfield.'),
  })
  .meta({ id: 'Question' });

export const questionsOperation: Operation = {
  id: 'listQuestions',
  summary: 'List questions',
  description: 'The questions of all surveys of the account by id, deleted ones included with `is_deleted` true.',
  query: paging,
  success: pageOf('questions', question),
};

/** GET /v1/questions (docs/rules/resources.md). */
export const getQuestions = (exporter: Upstream<ExportServiceDefinition>): ReadEndpoint =>
  listEndpoint(strictQuery(paging), (request, options) => exporter.listQuestions(request, options));

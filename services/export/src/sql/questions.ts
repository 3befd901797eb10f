import type { List } from './read-list.ts';

/** Question (docs/rules/resources.md). */
export const QUESTIONS: List = {
  matching: 'export.question q where q.account_id = $1::bigint',
  fields: 'q.id, q.name, q.type, q.is_deleted, q.answer_options',
  order: 'q.id',
};

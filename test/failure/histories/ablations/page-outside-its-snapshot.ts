// Ablation, loaded before export: the total of a page of employees is read after its rows, from
// another database snapshot.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { rewriteStatements } from './statements.ts';

const TOTAL_COLUMN = 8;
// As long as counting the employees of a large account takes.
const BETWEEN_MS = 20;

type Page = (this: Client, statement: unknown, ...rest: unknown[]) => Promise<{ rows: unknown[][] }>;

rewriteStatements((text) => text.replace('isolation level repeatable read', 'isolation level read committed'));
const query: Page = Reflect.get(Client.prototype, 'query');
const torn: Page = async function (statement, ...rest) {
  const page = await query.call(this, statement, ...rest);
  await sleep(BETWEEN_MS);
  const later = await query.call(this, statement, ...rest);
  return { ...page, rows: page.rows.map((row) => row.with(TOTAL_COLUMN, later.rows[0]?.[TOTAL_COLUMN])) };
};
const either: Page = function (statement, ...rest) {
  return (Object(statement).name === 'employees_page' ? torn : query).call(this, statement, ...rest);
};
Object.assign(Client.prototype, { query: either });

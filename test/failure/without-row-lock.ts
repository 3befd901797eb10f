// Loaded before import-reconciler by the ablation of the same name: rows that were to be locked, or passed over where they are, are only read.
import { Client } from 'pg';

type Query = (this: Client, text: unknown, ...rest: unknown[]) => unknown;

// Only the text is changed: what is passed and what comes back stay as they are.
const query: Query = Reflect.get(Client.prototype, 'query');
const unlocked: Query = function (text, ...rest) {
  return query.call(this, typeof text === 'string' ? text.replace('for update skip locked', '') : text, ...rest);
};
Object.assign(Client.prototype, { query: unlocked });

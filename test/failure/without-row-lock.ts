// Ablation, loaded before import-reconciler: reads rows without locking them or skipping locked
// ones.
import { Client } from 'pg';

type Query = (this: Client, text: unknown, ...rest: unknown[]) => unknown;

// Changes only the SQL text, not parameters and results.
const query: Query = Reflect.get(Client.prototype, 'query');
const unlocked: Query = function (text, ...rest) {
  return query.call(this, typeof text === 'string' ? text.replace('for update skip locked', '') : text, ...rest);
};
Object.assign(Client.prototype, { query: unlocked });

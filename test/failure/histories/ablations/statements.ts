import { Client } from 'pg';

type Query = (this: Client, statement: unknown, ...rest: unknown[]) => unknown;

/** Changes the text of every statement of this process, but not its parameters or result. */
export function rewriteStatements(rewrite: (text: string) => string): void {
  const query: Query = Reflect.get(Client.prototype, 'query');
  const rewritten: Query = function (statement, ...rest) {
    if (typeof statement === 'string') return query.call(this, rewrite(statement), ...rest);
    const { text } = Object(statement);
    // A pool hands over its own objects, whose methods must stay.
    if (typeof text === 'string') Object.assign(Object(statement), { text: rewrite(text) });
    return query.call(this, statement, ...rest);
  };
  Object.assign(Client.prototype, { query: rewritten });
}

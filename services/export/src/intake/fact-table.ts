import type { FactConsumer } from '@survey/bus/intake.ts';
import type { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { newest, readFacts } from './read-facts.ts';

export interface FactTable<Row extends object> {
  readonly table: string;
  readonly key: keyof Row & string;
  // PostgreSQL type of each column.
  readonly columns: Readonly<Record<keyof Row & string, string>>;
  /**
   * Reads the row; undefined for a fact of another kind.
   * @throws InvalidFactError
   */
  readonly read: (fact: Fact) => Row | undefined;
}

/**
 * Applies facts that are rows of one table. The newest fact wins, in any order and however often
 * facts arrive.
 */
export function applyToTable<Row extends object>(options: FactTable<Row>): FactConsumer['apply'] {
  const { key, read } = options;
  const statement = upsert(options);
  return async (tx, accountId, facts) => {
    const { readable, rejected } = readFacts(facts, read);
    const rows = newest(readable, ({ row }) => String(row[key])).map(({ row, version: { revision, digest } }) => ({
      ...row,
      revision,
      digest: `\\x${digest.toString('hex')}`,
    }));
    if (rows.length > 0) await tx.query(statement, [accountId, JSON.stringify(rows)]);
    return rejected;
  };
}

// Rows are written in key order, so that concurrent batches lock them in the same order.
function upsert<Row extends object>({ table, key, columns }: FactTable<Row>): string {
  const types: Record<string, string> = { ...columns, revision: 'bigint', digest: 'bytea' };
  const names = Object.keys(types);
  const written = names.filter((name) => name !== key);
  return `
    insert into ${table} as kept (account_id, ${names.join(', ')})
    select $1::bigint, ${names.join(', ')}
    from json_to_recordset($2::json) as fact (${names.map((name) => `${name} ${types[name]}`).join(', ')})
    order by ${key}
    on conflict (account_id, ${key}) do update set ${written.map((name) => `${name} = excluded.${name}`).join(', ')}
    where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)`;
}

import { randomUUID } from 'node:crypto';
import type { FactKind } from '@survey/bus/streams.ts';
import type { LineOf } from '@survey/bus/lines/from-fact.ts';
import { type ApplyFacts, latestByKey } from '@survey/bus/facts/fact.ts';

export interface FactTable<K extends FactKind> {
  readonly kind: K;
  readonly key: string;
  // PostgreSQL type of each column. A column takes the row's value of its name, else null.
  readonly columns: Readonly<Record<string, string>>;
  readonly rowOf: (line: LineOf<K>) => Readonly<Record<string, unknown>>;
}

/**
 * Applies facts that are rows of one table. The newest fact wins, in any order and however often
 * facts arrive.
 */
export function applyToTable<K extends FactKind>({ rowOf, ...table }: FactTable<K>): ApplyFacts<K> {
  const statement = upsert(table);
  return async (tx, accountId, facts) => {
    const rows = facts.map(({ content, revision, digest }) => ({ row: rowOf(content), revision, digest }));
    const latest = latestByKey(rows, ({ row }) => String(row[table.key]));
    const parameters = latest.map(({ row, revision, digest }) => ({ ...row, revision, digest: `\\x${digest.toString('hex')}` }));
    await tx.query(statement, [accountId, JSON.stringify(parameters), randomUUID()]);
  };
}

// Rows are written in key order, so that concurrent batches lock them in the same order.
function upsert({ kind, key, columns }: Omit<FactTable<FactKind>, 'rowOf'>): string {
  const types: Record<string, string> = { ...columns, revision: 'bigint', digest: 'bytea' };
  const names = Object.keys(types);
  const changeable = names.filter((name) => name !== key);
  return `
    with written as (
    insert into export.${kind} as kept (account_id, ${names.join(', ')})
    select $1::bigint, ${names.join(', ')}
    from json_to_recordset($2::json) as fact (${names.map((name) => `${name} ${types[name]}`).join(', ')})
    order by ${key}
    on conflict (account_id, ${key}) do update set ${changeable.map((name) => `${name} = excluded.${name}`).join(', ')}
    where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)
    returning 1)${renewVersion(kind, '$3', 'exists (select from written)')}`;
}

/**
 * SQL that replaces the version of a list, as a statement or as a part of one that writes. Every
 * transaction that changes rows of a list runs it, because clients with the version are told that
 * nothing has changed (lists/conditional-page.ts).
 * @param version parameter with a new random UUID, such as `$2`; `$1` is the account
 */
export const renewVersion = (list: string, version: string, condition = 'true'): string => `
insert into export.list_version as kept (account_id, list, version)
select $1::bigint, '${list}', ${version}::uuid where ${condition}
on conflict (account_id, list) do update set version = excluded.version`;

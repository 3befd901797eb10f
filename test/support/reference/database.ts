import type { ClientBase, Pool } from 'pg';

interface Column {
  readonly tableName: string;
  readonly name: string;
  readonly comment: string | null;
  readonly readers: readonly string[];
}

const SERVICES = {
  survey_gateway: 'gateway',
  survey_export: 'export',
  survey_imports: 'import-reconciler',
  survey_scoring: 'scoring-anonymity',
  survey_text: 'text-analysis',
  survey_admin: 'account-admin',
};

/**
 * Returns a table of the columns whose comment describes personal data, and one of all other
 * columns. The services that can read a column are those whose role has the privilege.
 */
export async function personalDataTables(db: ClientBase | Pool): Promise<string> {
  const { rows } = await db.query<Column>(
    `select concat_ws('.', nullif(n.nspname, 'public'), c.relname) as "tableName", a.attname as name,
       col_description(c.oid, a.attnum) as comment,
       array(select role from unnest($1::text[]) with ordinality as r(role, position)
         where has_column_privilege(role, c.oid, a.attnum, 'select') and has_schema_privilege(role, n.oid, 'usage')
         order by position) as readers
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname in ('public', 'admin', 'export', 'imports', 'scoring', 'text') and c.relkind in ('r', 'p')
       and c.relname !~ '^citus_' and a.attnum > 0 and not a.attisdropped
     order by 1, a.attnum`,
    [Object.keys(SERVICES)],
  );
  const described = rows.map((column) => ({ column, personal: personalData(column) }));
  const personal = described.flatMap(({ column, personal: about }) =>
    about === undefined ? [] : [`| \`${column.tableName}.${column.name}\` | ${about.join(' | ')} | ${readersOf(column)} |`],
  );
  const others = Map.groupBy(
    described.flatMap(({ column, personal: about }) => (about === undefined ? [column] : [])),
    ({ tableName }) => tableName,
  );
  return [
    '## Columns with personal data',
    '',
    '| Column | Data | Purpose | Kept | Services whose role can read it |',
    '|---|---|---|---|---|',
    ...personal,
    '',
    '## Columns without personal data',
    '',
    '| Table | Columns |',
    '|---|---|',
    ...[...others].map(([name, columns]) => `| \`${name}\` | ${columns.map((column) => `\`${column.name}\``).join(', ')} |`),
    '',
  ].join('\n');
}

// Comments have the form 'Personal data: … Purpose: … Kept: …'.
function personalData({ tableName, name, comment }: Column): string[] | undefined {
  if (comment?.startsWith('Personal data:') !== true) return undefined;
  const [, ...parts] = /^Personal data: (.+)\. Purpose: (.+)\. Kept: (.+)\.$/s.exec(comment) ?? [];
  if (parts.length < 3) throw new Error(`the comment on ${tableName}.${name} must say: Personal data, Purpose and Kept`);
  return parts;
}

function readersOf({ readers }: Column): string {
  return Object.entries(SERVICES)
    .flatMap(([role, service]) => (readers.includes(role) ? [service] : []))
    .join(', ');
}

/** Returns a table of the tables of the database, from their comments. */
export async function databaseTables(db: ClientBase | Pool): Promise<string> {
  const { rows } = await db.query<{ name: string; comment: string | null }>(
    `select concat_ws('.', nullif(n.nspname, 'public'), c.relname) as name, obj_description(c.oid, 'pg_class') as comment
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'admin', 'export', 'imports', 'scoring', 'text') and c.relkind in ('r', 'p')
       and c.relname !~ '^citus_'
     order by 1`,
  );
  const tables = rows.map(({ name, comment }) => {
    if (comment === null) throw new Error(`${name} has no comment: add one in its migration`);
    return `| \`${name}\` | ${comment} |`;
  });
  return ['| Table | Rows |', '|---|---|', ...tables, ''].join('\n');
}

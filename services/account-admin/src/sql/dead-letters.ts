import type { Client } from '@survey/postgres/database.ts';
import type { DeadLetter, DeadLetterCount } from '@survey/proto/admin/v1/admin.ts';
import { selectFromFactSchemas } from './fact-schemas.ts';

export interface DeadLetterPage {
  accountId: number;
  source: string;
  limit: number;
  offset: number;
}

const ALL = `${selectFromFactSchemas('dead_letter', 'source, kind, line, reason')} where account_id = $1::bigint and source = $2::text`;

export async function deadLetters(client: Client, { accountId, source, limit, offset }: DeadLetterPage): Promise<DeadLetter[]> {
  const { rows } = await client.query<DeadLetter>(
    `select keeper as rejected_by, kind, line, reason from ${ALL}
     order by line, keeper, kind, reason limit $3::integer offset $4::bigint`,
    [accountId, source, limit, offset],
  );
  return rows;
}

export async function countDeadLetters(client: Client, { accountId, source }: DeadLetterPage) {
  const { rows } = await client.query<DeadLetterCount & { letters: number }>(
    `select kind, count(distinct line) as lines, count(*) as letters from ${ALL} group by kind order by kind`,
    [accountId, source],
  );
  return {
    counts: rows.map(({ kind, lines }) => ({ kind, lines })),
    total: rows.reduce((sum, { letters }) => sum + letters, 0),
  };
}

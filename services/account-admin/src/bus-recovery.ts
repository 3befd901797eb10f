import { FACT_POSITION } from '@survey/bus/position.ts';
import { CONSUMERS } from '@survey/bus/streams.ts';
import type { Pool, Client } from '@survey/postgres/database.ts';
import type {
  ListFactPositionsResponse,
  ReplayEventsRequest,
  ReplayEventsResponse,
  CountDeferredFactsRequest,
  CountDeferredFactsResponse,
  DeadLetter,
  DeadLetterCount,
  DeferredFactCount,
  ListDeadLettersRequest,
  ListDeadLettersResponse,
  WaitingLine,
} from '@survey/proto/admin/v1/admin.ts';
import type { FactPosition } from '@survey/proto/events/v1/events.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { withAccount } from './with-account.ts';

/**
 * Lets the relays of all services publish events again, after NATS has lost them. They do so within
 * seconds.
 */
export const replayEvents =
  (pool: Pool) =>
  async ({ since }: ReplayEventsRequest): Promise<ReplayEventsResponse> => {
    const { rows } = await pool.query<{ events: number }>('select admin.publish_events_again($1::timestamptz) as events', [
      since,
    ]);
    return { events: rows[0]?.events ?? 0 };
  };

const FACT_CONSUMERS = Object.values(CONSUMERS).flatMap(({ stream, durable_name }) =>
  stream === 'INTAKE' ? [durable_name] : [],
);

/** Lists until when each service has applied the facts of each kind, and what is lost of them. */
export const listFactPositions = (pool: Pool) => async (): Promise<ListFactPositionsResponse> => {
  const { rows } = await pool.query<FactPosition>(
    `select consumer, ${FACT_POSITION} from admin.fact_positions() where consumer = any($1::text[])`,
    [FACT_CONSUMERS],
  );
  return { positions: rows };
};

// Services that ingest facts; the schema of each has tables of deferred facts and dead letters.
const SCHEMAS = ['export', 'imports', 'scoring', 'text'];

/**
 * Selects rows from this table of every service that consumes facts, with the name of the service's
 * schema as `keeper`. `columns` are columns of the table.
 */
function selectFromFactSchemas(table: 'deferred_fact' | 'dead_letter', columns: string): string {
  const selects = SCHEMAS.map((schema) => `select '${schema}' as keeper, account_id, ${columns} from ${schema}.${table}`);
  return `(${selects.join(' union all ')}) ${table}`;
}

interface DeadLetterPage {
  accountId: number;
  source: string;
  limit: number;
  offset: number;
}

const ALL = `${selectFromFactSchemas('dead_letter', 'source, kind, line, reason')} where account_id = $1::bigint and source = $2::text`;

async function deadLetters(client: Client, { accountId, source, limit, offset }: DeadLetterPage): Promise<DeadLetter[]> {
  const { rows } = await client.query<DeadLetter>(
    `select keeper as rejected_by, kind, line, reason from ${ALL}
     order by line, keeper, kind, reason limit $3::integer offset $4::bigint`,
    [accountId, source, limit, offset],
  );
  return rows;
}

async function countDeadLetters(client: Client, { accountId, source }: DeadLetterPage) {
  const { rows } = await client.query<DeadLetterCount & { letters: number }>(
    `select kind, count(distinct line) as lines, count(*) as letters from ${ALL} group by kind order by kind`,
    [accountId, source],
  );
  return {
    counts: rows.map(({ kind, lines }) => ({ kind, lines })),
    total: rows.reduce((sum, { letters }) => sum + letters, 0),
  };
}

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 10_000;

/** Returns a page of the dead letters of one load, and their number. */
export const listDeadLetters =
  (pool: Pool) =>
  async (request: ListDeadLettersRequest, call: CallContext): Promise<ListDeadLettersResponse> => {
    const page = checkPage(request);
    return withAccount(pool, call, page.accountId, async (client) => ({
      dead_letters: await deadLetters(client, page),
      ...(await countDeadLetters(client, page)),
    }));
  };

function checkPage({ account_id, source, limit, offset }: ListDeadLettersRequest): DeadLetterPage {
  const page = { accountId: account_id, source, limit: limit ?? DEFAULT_LIMIT, offset: offset ?? 0 };
  if (page.limit < 0 || page.limit > MAX_LIMIT) throw invalid(`limit must be 0 to ${MAX_LIMIT}`);
  if (page.offset < 0) throw invalid('offset must not be negative');
  return page;
}

const COUNTS = `select keeper as service, kind, count(*) as facts from ${selectFromFactSchemas('deferred_fact', 'kind')}
  where account_id = $1::bigint
  group by keeper, kind order by keeper, kind`;
const LINES = `select keeper as service, kind, line, count(*) over () as total
  from ${selectFromFactSchemas('deferred_fact', 'kind, source, line')}
  where account_id = $1::bigint and source = $2::text
  order by line, keeper, kind limit $3::integer`;

/** Counts the deferred facts of the account, and lists the lines of one load among them. */
export const countDeferredFacts =
  (pool: Pool) =>
  (
    { account_id: accountId, source, limit }: CountDeferredFactsRequest,
    call: CallContext,
  ): Promise<CountDeferredFactsResponse> => {
    const maxLines = limit ?? DEFAULT_LIMIT;
    if (maxLines < 0 || maxLines > MAX_LIMIT) throw invalid(`limit must be 0 to ${MAX_LIMIT}`);
    return withAccount(pool, call, accountId, async (client) => {
      const { rows: waiting } = await client.query<DeferredFactCount>(COUNTS, [accountId]);
      return { waiting, ...(await linesOf(client, [accountId, source ?? null, maxLines])) };
    });
  };

async function linesOf(client: Client, values: readonly unknown[]): Promise<{ lines: WaitingLine[]; lines_total: number }> {
  const { rows } = await client.query<WaitingLine & { total: number }>(LINES, [...values]);
  return { lines: rows.map(({ service, kind, line }) => ({ service, kind, line })), lines_total: rows[0]?.total ?? 0 };
}

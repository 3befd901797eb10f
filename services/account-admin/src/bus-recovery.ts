import { FACT_POSITION } from '@survey/bus/position.ts';
import { CONSUMERS } from '@survey/bus/streams.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { ListFactPositionsResponse, ReplayEventsRequest, ReplayEventsResponse } from '@survey/proto/admin/v1/admin.ts';
import type { FactPosition } from '@survey/proto/events/v1/events.ts';

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

import type { Pool } from '@survey/postgres/database.ts';
import type {
  FactPosition,
  ListFactPositionsResponse,
  ReplayEventsRequest,
  ReplayEventsResponse,
} from '@survey/proto/admin/v1/admin.ts';

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

/** Lists until when each service has applied the facts of each kind. */
export const listFactPositions = (pool: Pool) => async (): Promise<ListFactPositionsResponse> => {
  const { rows } = await pool.query<FactPosition>(
    `select consumer, to_char(applied_up_to at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as applied_up_to
       from admin.fact_positions()`,
  );
  return { positions: rows };
};

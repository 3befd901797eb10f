import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { TRACEPARENT } from '@survey/process/trace-context.ts';

/** Schema of the outbox; each publishing service has its own. */
export type OutboxSchema = 'admin' | 'imports' | 'text';

const SERVICE: Record<OutboxSchema, string> = { admin: 'account-admin', imports: 'import-reconciler', text: 'text-analysis' };

export interface OutboxMessage {
  id: number;
  // UUID.
  message_id: string;
  account_id: number;
  subject: string;
  // RFC 3339, UTC.
  created_at: string;
  // Gapless per account and schema; null for messages that are not events.
  sequence: number | null;
  // Trace of the work that enqueued the message.
  traceparent: string | null;
}

/**
 * Returns the headers of a message: for events those of CloudEvents 1.0 in binary mode with the
 * account's sequence; always the trace.
 */
export function eventHeaders(schema: OutboxSchema, message: OutboxMessage): MsgHdrs {
  const meta = headers();
  meta.set('ce-id', message.message_id);
  meta.set('ce-subject', String(message.account_id));
  if (message.traceparent !== null) meta.set(TRACEPARENT, message.traceparent);
  if (message.sequence === null) return meta;
  meta.set('ce-specversion', '1.0');
  meta.set('ce-source', `/survey/${SERVICE[schema]}`);
  meta.set('ce-type', message.subject.replace(/^events\./, 'survey.'));
  meta.set('ce-time', message.created_at);
  meta.set('ce-sequence', String(message.sequence));
  meta.set('content-type', 'application/protobuf');
  return meta;
}

import { normaliseInstant } from '@survey/formats/instant.ts';
import type { AccountWork } from '@survey/bus/account-work.ts';
import { retentionWork } from '@survey/bus/retention.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { Metrics } from '@survey/process/metrics.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  AuditEntry,
  ListAuditRequest,
  ListAuditResponse,
  NoteAuditRequest,
  NoteAuditResponse,
} from '@survey/proto/admin/v1/admin.ts';
import { utc } from './sql-text.ts';
import { withAnyAccount, withLockedAccount } from './with-account.ts';
import { audit, type AuditAction } from './write-audit.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;

const SQL = `select * from (
    select a.id, ${utc('a.recorded_at')} as at, a.actor_kind, a.action, a.before::text as before, a.after::text as after, a.reason, a.request_id, a.address, a.outcome, a.rejection,
      case when a.actor_employee_id is not null then coalesce(nullif(e.email, ''), 'employee ' || a.actor_employee_id)
        when i.id is not null then concat_ws(' ', nullif(i.email, ''), '(' || a.actor || ': ' || i.issuer || ', ' || i.subject || ')')
        else a.actor end as actor
    from admin.audit a
    left join imports.employee e on e.account_id = a.account_id and e.id = a.actor_employee_id
    left join admin.invitation i on i.account_id = a.account_id and a.actor_kind = 'admin' and a.actor = 'invitation ' || i.id
    where a.account_id = $1::bigint and ($3::bigint is null or a.id < $3::bigint)
      and ($6::timestamptz is null or a.recorded_at >= $6::timestamptz)
      and ($7::timestamptz is null or a.recorded_at < $7::timestamptz)
      and ($4::text is null or a.action = $4::text or starts_with(a.action, $4::text || '.'))
      and ($8::text is null or not starts_with(a.action, $8::text))
  ) entry
  where $5::text is null or position(lower($5::text) in lower(actor)) > 0
  order by id desc limit $2::integer`;

/**
 * Returns the account's audit log, newest first, even after the account was deleted. Admins are
 * shown by address as long as the employee exists, invited ones by issuer and subject, too.
 */
export const listAudit =
  (pool: Pool) =>
  async (request: ListAuditRequest, call: CallContext): Promise<ListAuditResponse> => {
    const { account_id: accountId, limit, before_id, action, actor, since, until, except_action } = request;
    const maxEmployees = limit ?? DEFAULT_LIMIT;
    if (maxEmployees < 1 || maxEmployees > MAX_LIMIT) throw invalid(`limit must be 1 to ${MAX_LIMIT}`);
    const period = [instantOf('since', since), instantOf('until', until)];
    return withAnyAccount(pool, call, accountId, async (client) => {
      const values = [accountId, maxEmployees, before_id, action || null, actor || null, ...period, except_action || null];
      const { rows } = await client.query<AuditEntry>(SQL, values);
      return { entries: rows };
    });
  };

function instantOf(name: string, time: string | null | undefined): string | undefined {
  if (time == null) return undefined;
  const ms = Date.parse(time);
  const instant = Number.isNaN(ms) ? undefined : normaliseInstant(new Date(ms).toISOString());
  if (instant === undefined) throw invalid(`${name} must be a time in RFC 3339, of the years 1 to 9999`);
  return instant;
}

// Actions that change no data, which the console and surveyctl report.
const NOTED: readonly AuditAction[] = [
  'account.enter',
  'download',
  'dry-run',
  'sign-in',
  'sign-in.again',
  'sign-in.again.rejected',
  'sign-out',
  'sign-out.provider',
];
const MAX_WHAT = 200;

/** Records an action that changes no data in the audit. */
export const noteAudit =
  (pool: Pool) =>
  async ({ account_id: accountId, action, what }: NoteAuditRequest, call: CallContext): Promise<NoteAuditResponse> => {
    const noted = NOTED.find((each) => each === action);
    if (noted === undefined) throw invalid(`action must be one of ${NOTED.join(', ')}`);
    if (what.length > MAX_WHAT || /\p{Cc}/u.test(what)) throw invalid(`what must be a line of at most ${MAX_WHAT} characters`);
    const after = what === '' ? null : { what };
    await withLockedAccount(pool, call, accountId, async (client) => {
      await audit(client, call, { accountId, action: noted, before: null, after });
    });
    return {};
  };

/** Deletes entries of the audit log that have expired (rule DATA-RETENTION-3). */
export const auditRetention = (pool: Pool, defaultDays: number, metrics: Metrics): AccountWork =>
  retentionWork(
    pool,
    {
      kind: 'audit',
      expired: 'admin.expired_audit',
      defaultDays,
      deleteExpired: async (tx, accountId) => {
        const { rows } = await tx.query<{ deleted: number }>(
          'select admin.delete_expired_audit($1::bigint, $2::float8) as deleted',
          [accountId, defaultDays],
        );
        return (rows[0]?.deleted ?? 0) > 0 ? 0 : undefined;
      },
    },
    metrics,
  );

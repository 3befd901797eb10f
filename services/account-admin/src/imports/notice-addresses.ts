import { createHash } from 'node:crypto';
import type { AccountWork } from '@survey/bus/account-work.ts';
import { emailKey, isMailbox } from '@survey/formats/email-key.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type {
  AddNoticeAddressRequest,
  ConfirmNoticeAddressRequest,
  ConfirmNoticeAddressResponse,
  EndNoticesRequest,
  EndNoticesResponse,
  NoticeAddress,
  Notices,
  RemoveNoticeAddressRequest,
  ShowNoticesRequest,
} from '@survey/proto/admin/v1/admin.ts';
import { conflict, invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { audit, auditByService } from '../write-audit.ts';
import { utc } from '../sql-text.ts';
import { withAccount, withLockedAccount } from '../with-account.ts';

// Whoever looks after the HR system is seldom an Admin, so an account may have further addresses
// for mails about imports. Nobody can be signed up by others: the address gets one mail with a
// link, and no other until its owner opens that link (rule IMPORT-LIFECYCLE-MAIL-6).
// import-reconciler sends the request, makes its token and keeps the hash. Requests are limited per
// account, and per address in all accounts, so that they cannot fill a mailbox. A request therefore
// stays counted when the address is removed, as a row that holds a hash of it for a day.

const MAX_ADDRESSES = 10;
const MAX_REQUESTS = 20;
const MAX_REQUESTS_TO_ADDRESS = 3;
const LANGUAGES = ['en', 'de'];
const LINK_VALID = "interval '48 hours'";
// A form that is sent twice asks once.
const SAME_REQUEST = "interval '1 minute'";

const ADDRESS = `address.id, address.email, address.language, ${utc('address.asked_at')} as asked_at, ${utc('address.confirmed_at')} as confirmed_at,
  case when address.confirmed_at is not null then 'confirmed' when address.asked_at > now() - ${LINK_VALID} then 'waiting' else 'expired' end as state`;
const LISTED = `select ${ADDRESS} from admin.notice_address address where account_id = $1::bigint and removed_at is null`;

async function listAddresses(client: Client, accountId: number): Promise<NoticeAddress[]> {
  const { rows } = await client.query<NoticeAddress>(`${LISTED} order by address.id`, [accountId]);
  return rows;
}

// By PostgreSQL's clock, which also sets asked_at.
async function wasJustAsked(client: Client, accountId: number, id: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from admin.notice_address where account_id = $1::bigint and id = $2::bigint and asked_at > now() - ${SAME_REQUEST}`,
    [accountId, id],
  );
  return rowCount === 1;
}

const SNAPSHOT_DUE = `select ${utc('imports.snapshot_due($1::bigint)')} as snapshot_due`;
const NEWEST = `
select ${utc('max(accepted_at)')} as newest_snapshot_at from imports.import where account_id = $1::bigint and rerun_of is null`;

/** Returns the further addresses, and when the next snapshot is expected. */
export const showNotices =
  (pool: Pool) =>
  ({ account_id: accountId }: ShowNoticesRequest, call: CallContext): Promise<Notices> =>
    withAccount(pool, call, accountId, async (client) => {
      const due = await client.query<Pick<Notices, 'snapshot_due'>>(SNAPSHOT_DUE, [accountId]);
      const newest = await client.query<Pick<Notices, 'newest_snapshot_at'>>(NEWEST, [accountId]);
      return { ...due.rows[0], ...newest.rows[0], addresses: await listAddresses(client, accountId) };
    });

/** Asks the owner of an address, by mail, whether they want to get the mails about imports. */
export const addNoticeAddress =
  (pool: Pool) =>
  ({ account_id: accountId, email, language }: AddNoticeAddressRequest, call: CallContext): Promise<NoticeAddress> => {
    const address = email.trim();
    if (!isMailbox(address)) throw invalid('email must be an e-mail address');
    if (!LANGUAGES.includes(language)) throw invalid(`language must be one of ${LANGUAGES.join(', ')}`);
    const key = emailKey(address);
    const hash = createHash('sha256').update(key).digest();
    return withLockedAccount(pool, call, accountId, async (client) => {
      const addresses = await listAddresses(client, accountId);
      const same = addresses.find((each) => emailKey(each.email) === key);
      if (same?.state === 'confirmed') throw conflict('the address is confirmed already');
      if (same?.language === language && (await wasJustAsked(client, accountId, same.id))) return same;
      if (same === undefined && addresses.length >= MAX_ADDRESSES)
        throw conflict(`an account can have ${MAX_ADDRESSES} further addresses: remove one first`);
      await limitRequests(client, accountId, hash);
      if (same !== undefined) await empty(client, accountId, same.id);
      const { rows } = await client.query<NoticeAddress>(
        `with address as (
           insert into admin.notice_address (account_id, email, email_key, address_hash, language)
           values ($1::bigint, $2::text, $3::text, $4::bytea, $5::text) returning *
         )
         select ${ADDRESS} from address`,
        [accountId, address, key, hash, language],
      );
      if (rows[0] === undefined) throw new Error('expected the insert to return a row');
      // Without the address, which would outlive its removal.
      await audit(client, call, { accountId, action: 'notice.add', before: null, after: { id: rows[0].id } });
      return rows[0];
    });
  };

async function limitRequests(client: Client, accountId: number, hash: Buffer): Promise<void> {
  const { rows } = await client.query<{ of_account: number; of_address: number }>(
    `select (select count(*) from admin.notice_address where account_id = $1::bigint and asked_at > now() - interval '1 day') as of_account,
       admin.confirmations_requested($2::bytea) as of_address`,
    [accountId, hash],
  );
  const [{ of_account: ofAccount, of_address: ofAddress } = { of_account: 0, of_address: 0 }] = rows;
  if (ofAddress >= MAX_REQUESTS_TO_ADDRESS)
    throw conflict(`the address got ${MAX_REQUESTS_TO_ADDRESS} requests to confirm within a day: try again tomorrow`);
  if (ofAccount >= MAX_REQUESTS)
    throw conflict(`the account has asked for ${MAX_REQUESTS} confirmations within a day: try again tomorrow`);
}

/** Removes an address: it gets no mail from now on. */
export const removeNoticeAddress =
  (pool: Pool) =>
  ({ account_id: accountId, id }: RemoveNoticeAddressRequest, call: CallContext): Promise<NoticeAddress> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const removed = (await listAddresses(client, accountId)).find((each) => each.id === id);
      if (removed === undefined) throw notFound(`the account has no further address ${id}`);
      await empty(client, accountId, id);
      await audit(client, call, { accountId, action: 'notice.remove', before: { id }, after: null });
      return removed;
    });

async function empty(client: Client, accountId: number, id: number): Promise<void> {
  await client.query(
    `update admin.notice_address set email = '', email_key = null, confirmed_at = null, removed_at = now()
     where account_id = $1::bigint and id = $2::bigint`,
    [accountId, id],
  );
}

const ASKED = `select a.confirmed_at is not null as is_confirmed
  from admin.notice_address a join imports.mail m on m.account_id = a.account_id and m.id = a.mail_id
  where a.account_id = $1::bigint and m.account_id = $1::bigint and a.id = $2::bigint and a.removed_at is null
    and (a.confirmed_at is not null or a.asked_at > now() - ${LINK_VALID}) and sha256($3::text::bytea) = any(m.token_hashes)`;

/**
 * Confirms an address for whoever opened the link that was mailed to it. A second time changes
 * nothing.
 * @throws `not_found` when the link has expired, or was replaced or invented.
 */
export const confirmNoticeAddress =
  (pool: Pool) =>
  (link: ConfirmNoticeAddressRequest, call: CallContext): Promise<ConfirmNoticeAddressResponse> =>
    byLink(pool, link, call, async (client, values) => {
      const { rows } = await client.query<{ is_confirmed: boolean }>(ASKED, values);
      if (rows[0] === undefined) throw notFound('the link is no longer valid');
      if (rows[0].is_confirmed) return;
      await client.query(
        'update admin.notice_address set confirmed_at = now() where account_id = $1::bigint and id = $2::bigint',
        [link.account_id, link.address_id],
      );
      await auditByService(client, link.account_id, 'notice.confirm', { id: link.address_id });
    });

const STOP = `select removed_at is not null as is_removed from admin.notice_address
  where account_id = $1::bigint and id = $2::bigint and encode(sha256(stop_secret::text::bytea), 'hex') = $3::text`;

/**
 * Removes an address for whoever opened the link of a mail that it got. A second time, and for an
 * address that an admin has removed, changes nothing.
 * @throws `not_found` when the link is not one of this account.
 */
export const endNotices =
  (pool: Pool) =>
  (link: EndNoticesRequest, call: CallContext): Promise<EndNoticesResponse> =>
    byLink(pool, link, call, async (client, values) => {
      const { rows } = await client.query<{ is_removed: boolean }>(STOP, values);
      if (rows[0] === undefined) throw notFound('the link is no longer valid');
      if (rows[0].is_removed) return;
      await empty(client, link.account_id, link.address_id);
      await auditByService(client, link.account_id, 'notice.stop', { id: link.address_id });
    });

const TOKEN = /^[\w-]{43,64}$/;

async function byLink(
  pool: Pool,
  { account_id: accountId, address_id, token }: EndNoticesRequest,
  call: CallContext,
  change: (client: Client, values: [number, number, string]) => Promise<void>,
): Promise<EndNoticesResponse> {
  if (!TOKEN.test(token)) throw notFound('the link is no longer valid');
  await withLockedAccount(pool, call, accountId, (client) => change(client, [accountId, address_id, token]));
  return {};
}

/** Deletes addresses that were removed or never confirmed, once their requests no longer count. */
export function unusedAddressWork(pool: Pool): AccountWork {
  return {
    kind: 'unused-addresses',
    concurrency: 1,
    sweep: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from admin.accounts_with_unused_addresses() as id');
      return rows.map(({ id }) => id);
    },
    work: async (accountId) => {
      await inAccount(pool, accountId, (client) =>
        client.query(
          `delete from admin.notice_address where account_id = $1::bigint and
             ((removed_at is not null and asked_at < now() - interval '1 day') or (confirmed_at is null and asked_at < now() - interval '7 days'))`,
          [accountId],
        ),
      );
      return undefined;
    },
  };
}

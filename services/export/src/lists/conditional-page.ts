import { createHash } from 'node:crypto';
import { limitResults, type Client } from '@survey/postgres/database.ts';
import { LargeResult } from '@survey/postgres/large-result.ts';
import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import { TIMELINE } from '@survey/postgres/replica/timeline.ts';
import type { Page } from '@survey/proto/common/v1/page.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';

/** What the rows of a list come from; each has a version of its own. */
type Source = 'survey' | 'question' | 'cycle' | 'assignment' | 'initiative' | 'employee' | 'name' | 'release';

interface ConditionalRequest {
  readonly limit: number;
  readonly offset: number;
  readonly accept_gzip: boolean;
  readonly if_none_match?: string | null | undefined;
}

interface ConditionalList<T, P> {
  readonly read: AccountReader;
  // Everything that a page shows rows of.
  readonly sources: readonly Source[];
  readonly keepsPlans?: boolean;
  // Finds the object that the list belongs to, or throws if it does not exist: `not_found` has no
  // ETag.
  readonly find?: (client: Client, accountId: number) => Promise<P>;
  // The version is the version of the sources, which cannot be relied on during an upgrade.
  readonly load: (client: Client, accountId: number, version: string | undefined) => Promise<T>;
  readonly render: (loaded: T, parent: P | undefined) => Promise<Page>;
}

/**
 * Answers a request for a page, without reading it if the client has it already. Version and page
 * come from one database snapshot, whichever server serves it, so a page never gets the validator
 * of another one.
 */
export async function conditionalPage<T, P = undefined>(
  request: ConditionalRequest,
  call: CallContext,
  { read, sources, keepsPlans = false, find, load, render }: ConditionalList<T, P>,
): Promise<Page> {
  const accountId = accountOf(call);
  using result = new LargeResult(accountId);
  const { etag, page } = await read(
    accountId,
    async (client) => {
      limitResults(client, result);
      const parent = await find?.(client, accountId);
      const version = await readVersion(client, accountId, sources);
      const etag = version === undefined ? undefined : etagOf(version, request);
      const isCurrent = etag !== undefined && matches(request.if_none_match ?? '', etag);
      return { etag, page: isCurrent ? undefined : { parent, loaded: await load(client, accountId, version) } };
    },
    { deadline: call.deadline, keepsPlans },
  );
  if (page === undefined) return { json: Buffer.alloc(0), gzip: false, etag };
  return { ...(await render(page.loaded, page.parent)), etag };
}

// The employees' dictionary counts, and a timeline assigns each count once. The few released
// attributes are their own version.
const VERSIONS = `
with part (source, version) as (
  select v.list, v.version::text from export.list_version v where v.account_id = $1::bigint
  union all
  select 'employee', coalesce(s.employees_version::text, '') from imports.account_state s where s.account_id = $1::bigint
  union all
  select 'name', s.dictionary_version || '/' || ${TIMELINE} from imports.account_state s where s.account_id = $1::bigint
  union all
  select 'release', string_agg(r.attribute_id::text, ' ' order by r.attribute_id)
  from admin.released_attribute r where r.account_id = $1::bigint
)
select (select id from admin.list_rendering where validators_from <= now()) as rendering,
  array(select p.source || ' ' || p.version from part p where p.source = any($2::text[]) order by 1) as versions`;

async function readVersion(client: Client, accountId: number, sources: readonly Source[]): Promise<string | undefined> {
  const { rows } = await client.query<{ rendering: string | null; versions: string[] }>({
    name: 'list_versions',
    text: VERSIONS,
    values: [accountId, sources],
  });
  const { rendering = null, versions = [] } = rows[0] ?? {};
  return rendering === null ? undefined : JSON.stringify([rendering, accountId, versions]);
}

/** Returns a strong validator: equal ones have pages of equal bytes (rule LISTS-ETAG-1). */
function etagOf(version: string, request: ConditionalRequest): string {
  const identity = JSON.stringify([version, { ...request, if_none_match: undefined }]);
  return `"${createHash('sha256').update(identity).digest('base64url')}"`;
}

/** Evaluates If-None-Match (RFC 9110, 13.1.2): a weak validator matches the strong one. */
function matches(ifNoneMatch: string, etag: string): boolean {
  const members = ifNoneMatch.split(',').map((member) => member.trim());
  return ifNoneMatch.trim() === '*' || members.some((member) => member === etag || member === `W/${etag}`);
}

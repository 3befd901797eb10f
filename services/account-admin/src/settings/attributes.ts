import { isDerivedAttribute, normaliseAttributeName } from '@survey/formats/attribute-name.ts';
import { isBlank } from '@survey/formats/is-blank.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import type {
  Attribute,
  AttributeValue,
  AttributeValueChange,
  ChangeAttributeValueRequest,
  ListAttributesRequest,
  ListAttributesResponse,
  ListAttributeValuesRequest,
  ListAttributeValuesResponse,
  ReleaseAttributeRequest,
  WithdrawAttributeRequest,
} from '@survey/proto/admin/v1/admin.ts';
import type { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { conflict, invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { audit, auditChange } from '../write-audit.ts';
import { callService } from '../call-service.ts';
import { searchPattern, utc } from '../sql-text.ts';
import { withAccount, withLockedAccount } from '../with-account.ts';

const SELECT = `select attribute.id as attribute_id, attribute.name, ${utc('released.released_at')} as released_at
  from imports.attribute
  left join admin.released_attribute released
    on released.account_id = attribute.account_id and released.attribute_id = attribute.id
  where attribute.account_id = $1::bigint`;

/** Returns all attributes of the account, released or not. */
export async function attributesOf(client: Client, accountId: number): Promise<Attribute[]> {
  const { rows } = await client.query<Attribute>(`${SELECT} order by attribute.id`, [accountId]);
  return rows;
}

// One pass over the employees, whose rows contain the ids of their values.
const COUNTS = `with held as (
    select h.option_id, count(*) as employees
    from imports.employee e, unnest(e.option_ids) as h (option_id)
    where e.account_id = $1::bigint and not e.is_deleted group by h.option_id
  )
  select o.attribute_id, count(*) as values, sum(h.employees)::bigint as employees,
    count(*) filter (where h.employees < 5) as rare_values
  from held h join imports.attribute_option o on o.account_id = $1::bigint and o.id = h.option_id
  group by o.attribute_id`;

/** Returns all attributes of the account, with the number of values and employees of each. */
async function countedAttributes(client: Client, accountId: number): Promise<Attribute[]> {
  const { rows } = await client.query<Required<Pick<Attribute, 'attribute_id' | 'values' | 'employees' | 'rare_values'>>>(
    COUNTS,
    [accountId],
  );
  const counts = new Map(rows.map((row) => [row.attribute_id, row]));
  const none = { values: 0, employees: 0, rare_values: 0 };
  return (await attributesOf(client, accountId)).map((attribute) => ({
    ...attribute,
    ...none,
    ...counts.get(attribute.attribute_id),
  }));
}

/**
 * Returns the attribute with this name, matched as in an import (rule IMPORT-ATTRIBUTES-NAMES-1).
 * @throws `not_found`
 */
export async function findAttribute(client: Client, accountId: number, name: string): Promise<Attribute> {
  const { rows } = await client.query<Attribute>(`${SELECT} and attribute.name_key = $2::text`, [
    accountId,
    normaliseAttributeName(name),
  ]);
  if (rows[0] === undefined) throw notFound(`account ${accountId} has no attribute with this name: see attribute list`);
  return rows[0];
}

/** Returns an account's attributes, sorted by id, and since when each is released for API use. */
export const listAttributes =
  (pool: Pool) =>
  ({ account_id: accountId }: ListAttributesRequest, call: CallContext): Promise<ListAttributesResponse> =>
    withAccount(pool, call, accountId, async (client) => ({ attributes: await countedAttributes(client, accountId) }));

const RELEASE = 'insert into admin.released_attribute (account_id, attribute_id) values ($1::bigint, $2::integer)';

/**
 * Releases an attribute for API use, from the next request on. Idempotent: a released one keeps its
 * time.
 */
export const releaseAttribute =
  (pool: Pool) =>
  ({ account_id: accountId, name }: ReleaseAttributeRequest, call: CallContext): Promise<Attribute> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const before = await findAttribute(client, accountId, name);
      if (typeof before.released_at === 'string') return before;
      await client.query(RELEASE, [accountId, before.attribute_id]);
      const after = await findAttribute(client, accountId, name);
      await audit(client, call, { accountId, action: 'attribute.release', before, after });
      return after;
    });

const WITHDRAW = 'delete from admin.released_attribute where account_id = $1::bigint and attribute_id = $2::integer';

/**
 * Withdraws an attribute from API use, from the next request on (rule ATTRIBUTES-RELEASE-3).
 * Idempotent.
 */
export const withdrawAttribute =
  (pool: Pool) =>
  ({ account_id: accountId, name }: WithdrawAttributeRequest, call: CallContext): Promise<Attribute> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const before = await findAttribute(client, accountId, name);
      const { rowCount } = await client.query(WITHDRAW, [accountId, before.attribute_id]);
      if (rowCount === 0) return before;
      const after = await findAttribute(client, accountId, name);
      await audit(client, call, { accountId, action: 'attribute.withdraw', before, after });
      return after;
    });

const PAGE = 50;
const MAX_PAGE = 200;

/** Returns the values of an attribute with the number of employees who have each, sorted by id. */
export const listAttributeValues =
  (pool: Pool) =>
  (request: ListAttributeValuesRequest, call: CallContext): Promise<ListAttributeValuesResponse> =>
    withAccount(pool, call, request.account_id, async (client) => {
      const { account_id: accountId, search, option_id: optionId, limit, offset } = request;
      const attribute = await findAttribute(client, accountId, request.attribute);
      if (limit < 0 || offset < 0) throw invalid('limit and offset must not be negative');
      const page = { limit: Math.min(limit || PAGE, MAX_PAGE), offset };
      const { values, total } = await readValues(client, accountId, {
        attributeId: attribute.attribute_id,
        search,
        optionId,
        ...page,
      });
      return { attribute, values, total_count: total };
    });

interface WantedValues {
  readonly attributeId: number;
  readonly search?: string;
  readonly optionId?: number | null | undefined;
  readonly names?: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

// One pass over the employees, whose rows contain the ids of their values and grants.
const VALUES = `
with value as materialized (
  select o.id, o.name, count(*) over () as total
  from imports.attribute_option o
  where o.account_id = $1::bigint and o.attribute_id = $2::integer
    and ($3::text is null or o.name ilike '%' || $3::text || '%') and ($4::text[] is null or o.name = any($4::text[]))
    and ($7::integer is null or o.id = $7::integer)
  order by o.id limit $5::integer offset $6::integer
), held as materialized (
  select h.id, count(*) as employees from imports.employee e cross join lateral unnest(e.option_ids) h (id)
  where e.account_id = $1::bigint and not e.is_deleted and h.id in (select id from value) group by h.id
), granted as materialized (
  select g.id, count(*) as grantees from imports.employee e cross join lateral unnest(e.granted_option_ids) g (id)
  where e.account_id = $1::bigint and not e.is_deleted and g.id in (select id from value) group by g.id
)
select v.id as option_id, v.name, v.total, coalesce(h.employees, 0) as employees, coalesce(g.grantees, 0) as grantees,
  array(
    select m.name from imports.option_alias m
    where m.account_id = $1::bigint and m.option_id = v.id and m.is_mapped order by m.id limit 20
  ) as other_names,
  (select c.new_name from imports.value_change c where c.account_id = $1::bigint and c.option_id = v.id) as new_name
from value v left join held h on h.id = v.id left join granted g on g.id = v.id order by v.id`;

async function readValues(
  client: Client,
  accountId: number,
  bothNames: WantedValues,
): Promise<{ values: AttributeValue[]; total: number }> {
  const { attributeId, search = '', optionId, names, limit, offset } = bothNames;
  const values = [accountId, attributeId, searchPattern(search), names ?? null, limit, offset, optionId ?? null];
  const { rows } = await client.query<AttributeValue & { total: number }>(VALUES, values);
  return { values: rows.map(({ total: _total, ...value }) => value), total: rows[0]?.total ?? 0 };
}

/**
 * Requests that a value be renamed, or merged into the one that has the new name already (rule
 * ATTRIBUTES-MERGE-1). With `preview`, only returns how many employees and grants that concerns.
 * @throws `not_found`, `invalid`, `conflict`
 */
export const changeAttributeValue =
  (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async (request: ChangeAttributeValueRequest, call: CallContext): Promise<AttributeValueChange> => {
    const { account_id: accountId, maps_old_name } = request;
    const names = { value: request.value.normalize('NFC'), newName: checkName(request.new_name) };
    const plan = (client: Client) => planChange(client, request, names);
    if (request.preview) return withAccount(pool, call, accountId, plan);
    let planned: AttributeValueChange | undefined;
    await auditChange(
      pool,
      call,
      accountId,
      async (client) => {
        planned = await plan(client);
        const action = planned.merges ? ('attribute.value.merge' as const) : ('attribute.value.rename' as const);
        const { value, into } = planned;
        return { action, before: auditedValue(value), after: { ...auditedValue(into), maps_old_name } };
      },
      () =>
        callService('import-reconciler', call, accountId, (options) =>
          imports.changeValue({ option_id: planned?.value?.option_id ?? 0, new_name: names.newName, maps_old_name }, options),
        ),
    );
    if (planned === undefined) throw new Error('expected the change to be planned');
    return planned;
  };

// Without names: a value of one employee only is personal data, and the audit outlives an erasure.
const auditedValue = (value: AttributeValue | null | undefined): object | null =>
  value == null ? null : { option_id: value.option_id, employees: value.employees, grantees: value.grantees };

const MAX_LENGTH = 255;

function checkName(newName: string): string {
  const name = newName.normalize('NFC');
  if (isBlank(name) || name.includes('\0') || Array.from(name).length > MAX_LENGTH)
    throw invalid(`new_name must have 1 to ${MAX_LENGTH} characters, one of them visible`);
  return name;
}

async function planChange(
  client: Client,
  { account_id: accountId, attribute: attributeName, merges }: ChangeAttributeValueRequest,
  { value: oldName, newName }: { readonly value: string; readonly newName: string },
): Promise<AttributeValueChange> {
  const attribute = await findAttribute(client, accountId, attributeName);
  if (isDerivedAttribute(normaliseAttributeName(attribute.name)))
    throw conflict(`the values of ${attribute.name} are computed by every import and cannot be changed`);
  if (oldName === newName) throw invalid('new_name must differ from the value');
  const bothNames = { attributeId: attribute.attribute_id, names: [oldName, newName], limit: 2, offset: 0 };
  const { values } = await readValues(client, accountId, bothNames);
  const value = values.find(({ name }) => name === oldName);
  const into = values.find(({ name }) => name === newName) ?? null;
  if (value === undefined) throw notFound('the attribute has no such value: names are compared exactly, see attribute values');
  if (value.new_name != null || into?.new_name != null) throw conflict('one of the values is being changed: retry in a minute');
  if (merges != null && merges !== (into !== null))
    throw conflict(
      into === null ? 'the attribute has no value with the new name' : 'the attribute has a value with the new name: merge them',
    );
  if (into === null) await rejectOtherNames(client, accountId, attribute.attribute_id, value.option_id, newName);
  return { merges: into !== null, value, into };
}

// Otherwise imports would suddenly give the other value's employees this one.
async function rejectOtherNames(
  client: Client,
  accountId: number,
  attributeId: number,
  optionId: number,
  newName: string,
): Promise<void> {
  const { rowCount } = await client.query(
    `select from imports.option_alias m
     where m.account_id = $1::bigint and m.attribute_id = $2::integer and m.name = $3::text and m.is_mapped and m.option_id <> $4::integer`,
    [accountId, attributeId, newName, optionId],
  );
  if (rowCount !== 0) throw conflict('imports that send the new name mean another value: merge the value into that one');
}

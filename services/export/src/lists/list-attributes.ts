import { inAccountSnapshot, type Pool, type Queryable } from '@survey/postgres/database.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { type List, readList } from './read-list.ts';

/** GET /v1/attributes (docs/rules/attributes.md), sorted by id. */
export function listAttributes(pool: Pool): Handlers<ExportServiceDefinition>['listAttributes'] {
  return async ({ limit, offset, accept_gzip }, call) => {
    const accountId = accountOf(call);
    const { totalCount, rows } = await inAccountSnapshot(
      pool,
      accountId,
      (client) => readList(client, ATTRIBUTES, { limit, offset }, [accountId]),
      call,
    );
    return toPage(JSON.stringify({ total_count: totalCount, attributes: rows }), accept_gzip);
  };
}

/**
 * GET /v1/attributes/{attribute_id}/options (docs/rules/attributes.md), sorted by id. The error is
 * the same for all causes (rule ATTRIBUTES-RELEASE-2).
 */
export function listAttributeOptions(pool: Pool): Handlers<ExportServiceDefinition>['listAttributeOptions'] {
  return async ({ limit, offset, accept_gzip, attribute_id }, call) => {
    const accountId = accountOf(call);
    const { attribute, options } = await inAccountSnapshot(
      pool,
      accountId,
      async (client) => {
        const attribute = await findReleased(client, accountId, attribute_id);
        if (attribute === undefined) throw notFound('There is no such attribute, or it is not released for API use.');
        return { attribute, options: await readList(client, ATTRIBUTE_OPTIONS, { limit, offset }, [accountId, attribute_id]) };
      },
      call,
    );
    return toPage(JSON.stringify({ attribute, total_count: options.totalCount, options: options.rows }), accept_gzip);
  };
}

const RELEASED = `imports.attribute a
  join admin.released_attribute r on r.account_id = a.account_id and r.attribute_id = a.id
  where a.account_id = $1::bigint`;

/** Attribute (docs/rules/attributes.md): only attributes that an account admin has released. */
const ATTRIBUTES: List = { matching: RELEASED, fields: 'a.id, a.name', order: 'a.id' };

/** Option (docs/rules/attributes.md). $2: the attribute; callers check that it is released. */
const ATTRIBUTE_OPTIONS: List = {
  matching: 'imports.attribute_option o where o.account_id = $1::bigint and o.attribute_id = $2::bigint',
  fields: 'o.id, o.name',
  order: 'o.id',
};

/**
 * Returns the attribute if it is released. An unreleased one cannot be distinguished from an
 * unknown one (rule ATTRIBUTES-RELEASE-2).
 */
async function findReleased(db: Queryable, accountId: number, attributeId: number): Promise<object | undefined> {
  const { rows } = await db.query<object>(`select a.id, a.name from ${RELEASED} and a.id = $2::bigint`, [accountId, attributeId]);
  return rows[0];
}

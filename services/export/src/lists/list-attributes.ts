import type { Queryable } from '@survey/postgres/database.ts';
import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { conditionalPage } from './conditional-page.ts';
import { type List, readList } from './read-list.ts';

/** GET /v1/attributes (docs/rules/attributes.md), sorted by id. */
export function listAttributes(read: AccountReader): Handlers<ExportServiceDefinition>['listAttributes'] {
  return (request, call) =>
    conditionalPage(request, call, {
      read,
      sources: ['name', 'release'],
      load: (client, accountId) => readList(client, ATTRIBUTES, request, [accountId]),
      render: ({ totalCount, rows }) =>
        toPage(JSON.stringify({ total_count: totalCount, attributes: rows }), request.accept_gzip),
    });
}

/**
 * GET /v1/attributes/{attribute_id}/options (docs/rules/attributes.md), sorted by id. The error is
 * the same for all causes (rule ATTRIBUTES-RELEASE-2).
 */
export function listAttributeOptions(read: AccountReader): Handlers<ExportServiceDefinition>['listAttributeOptions'] {
  return (request, call) => {
    const { attribute_id } = request;
    return conditionalPage(request, call, {
      read,
      sources: ['name', 'release'],
      find: async (client, accountId) => {
        const attribute = await findReleased(client, accountId, attribute_id);
        if (attribute === undefined) throw notFound('There is no such attribute, or it is not released for API use.');
        return attribute;
      },
      load: (client, accountId) => readList(client, ATTRIBUTE_OPTIONS, request, [accountId, attribute_id]),
      render: ({ totalCount, rows }, attribute) =>
        toPage(JSON.stringify({ attribute, total_count: totalCount, options: rows }), request.accept_gzip),
    });
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

import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { Problem } from '../http/problem.ts';
import { idAndName, type Operation, pageOf } from './operation.ts';
import { attribute } from './get-attributes.ts';
import { listEndpoint, type PathParameters } from './list-endpoint.ts';
import { integerId, paging } from './query-parameters.ts';
import type { ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

export const attributeOptionsOperation: Operation = {
  id: 'listAttributeOptions',
  summary: 'List the options of an attribute',
  since: '1.4.0',
  description: 'The options of an attribute that an account admin has released for API use, by id.',
  query: paging,
  path: { attribute_id: integerId.describe('The id of the attribute.') },
  success: pageOf('options', idAndName('AttributeOption', 'An option of an attribute.'), { extraProperties: { attribute } }),
  problems: { 404: 'The attribute does not exist or is not released; the response does not say which.' },
};

/**
 * GET /v1/attributes/{attribute_id}/options (docs/rules/attributes.md). Invalid parameters return
 * 400 for any attribute (rule ATTRIBUTES-RELEASE-2).
 */
export const getAttributeOptions = (exporter: Upstream<ExportServiceDefinition>): ReadEndpoint =>
  listEndpoint(strictQuery(paging), (request, options, path) =>
    exporter.listAttributeOptions({ ...request, attribute_id: attributeId(path) }, options),
  );

function attributeId({ attribute_id }: PathParameters): number {
  const { data, error } = integerId.safeParse(attribute_id);
  if (data !== undefined) return data;
  const detail = error?.issues[0]?.message ?? 'must be an integer';
  throw new Problem(400, `The attribute_id in the path ${detail}.`, { errors: [{ parameter: 'attribute_id', detail }] });
}

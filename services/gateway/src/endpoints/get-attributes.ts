import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { idAndName, type Operation, pageOf } from './operation.ts';
import { listEndpoint } from './list-endpoint.ts';
import { paging } from './query-parameters.ts';
import type { ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

export const attribute = idAndName('Attribute', 'An attribute that an account admin has released for API use.');

export const attributesOperation: Operation = {
  id: 'listAttributes',
  summary: 'List attributes',
  since: '1.4.0',
  description: 'The attributes that an account admin has released for API use, by id. By default none is released.',
  query: paging,
  success: pageOf('attributes', attribute, {
    links: {
      options: {
        operationId: 'listAttributeOptions',
        description: 'The options of the first attribute.',
        parameters: { attribute_id: '$response.body#/attributes/0/id' },
      },
    },
  }),
};

/** GET /v1/attributes (docs/rules/attributes.md). */
export const getAttributes = (exporter: Upstream<ExportServiceDefinition>): ReadEndpoint =>
  listEndpoint(strictQuery(paging), (request, options) => exporter.listAttributes(request, options));

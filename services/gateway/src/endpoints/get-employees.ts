import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { z } from 'zod';
import { extensible, type Operation, pageOf } from './operation.ts';
import { listEndpoint } from './list-endpoint.ts';
import { paging } from './query-parameters.ts';
import type { ReadEndpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

const ROLES = ['Admin', 'Manager', 'Analyst', 'Employee', 'Report viewer', 'Respondee'];

const option = z
  .object({ id: z.int().describe('The id of the option.'), name: z.string().describe('A plain string, not translated.') })
  .meta({ id: 'AttributeValue', description: 'One value of an attribute.' });
const attribute = z
  .object({
    id: z.int().describe('The id of the attribute.'),
    name: z.string().describe('A plain string, not translated.'),
    attribute_values: z.array(option).describe('The values that the employee has.'),
  })
  .meta({ id: 'EmployeeAttribute', description: 'An attribute that the employee has a value of.' });

const employee = z
  .object({
    id: z.int().describe('The id of the employee.'),
    import_id: z.string().nullable().describe('null when created in the web application.'),
    email: z.string().describe('Unique within the account.'),
    firstname: z.string().nullable().describe('null when not set.'),
    lastname: z.string().nullable().describe('null when not set.'),
    role: z.string().nullable().meta(extensible(ROLES)),
    is_deleted: z.boolean().describe('true if removed from the account.'),
    attributes: z.array(attribute).describe('Every attribute with a value, released for API use or not.'),
  })
  .meta({ id: 'Employee' });

export const employeesOperation: Operation = {
  id: 'listEmployees',
  summary: 'List employees',
  description: 'All employees of the account by id, deleted ones included with `is_deleted` true.',
  query: paging,
  success: pageOf('employees', employee),
};

/** GET /v1/employees (docs/rules/resources.md). */
export const getEmployees = (exporter: Upstream<ExportServiceDefinition>): ReadEndpoint =>
  listEndpoint(strictQuery(paging), (request, options) => exporter.listEmployees(request, options));

import { apiAt } from '../support/api.ts';
import type { Organisation } from '../support/import/organisation.ts';
import type { Customer } from './customer.ts';
import type { FaultyStack } from './faulty-stack.ts';

/** An employee as listed by GET /v1/employees, with attributes by name. */
interface ListedEmployee {
  readonly id: number;
  readonly import_id: string | null;
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly role: string | null;
  readonly is_deleted: boolean;
  readonly attributes: readonly string[];
}

interface EmployeesPage {
  readonly employees: readonly (Omit<ListedEmployee, 'attributes'> & {
    readonly attributes: readonly { readonly name: string; readonly attribute_values: readonly { readonly name: string }[] }[];
  })[];
}

/** Reads all employees of an account through a running gateway. */
export async function listEmployees({ gateways, gatewayUrls }: FaultyStack, { account }: Customer): Promise<ListedEmployee[]> {
  const url = gatewayUrls[gateways.findIndex(({ isUp }) => isUp)] ?? '';
  const { status, body } = await apiAt(url).get('/v1/employees?limit=1000', account.readKey);
  if (status !== 200) throw new Error(`cannot list employees: status ${status}`);
  // The system tests check the shape.
  const { employees } = body as EmployeesPage;
  return employees
    .map((employee) => ({
      ...employee,
      attributes: employee.attributes
        .flatMap(({ name, attribute_values: values }) => values.map((value) => `${name}=${value.name}`))
        .sort(),
    }))
    .sort((a, b) => a.id - b.id);
}

/** Returns the expected list for an organisation. */
export function expectedEmployees({ people, attributes }: Organisation): ListedEmployee[] {
  return people.map((person) => ({
    id: person.id,
    import_id: person.importId,
    email: person.email,
    firstname: person.firstname,
    lastname: person.lastname,
    role: person.role,
    is_deleted: person.isDeleted,
    attributes: Object.entries(person.attributes)
      .flatMap(([key, values]) => values.map((value) => `${attributes[key]?.name}=${value}`))
      .sort(),
  }));
}

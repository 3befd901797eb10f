import { apiAt } from '../support/api.ts';
import type { Organisation } from '../support/import/organisation.ts';
import type { Customer } from './customer.ts';
import type { FaultyStack } from './faulty-stack.ts';

/** A person as GET /v1/employees shows it, with attributes by name. */
interface ListedPerson {
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
  readonly employees: readonly (Omit<ListedPerson, 'attributes'> & {
    readonly attributes: readonly { readonly name: string; readonly attribute_values: readonly { readonly name: string }[] }[];
  })[];
}

/** The account through the public API, at a gateway that is up. */
export async function listPeople({ gateways, gatewayUrls }: FaultyStack, { account }: Customer): Promise<ListedPerson[]> {
  const url = gatewayUrls[gateways.findIndex(({ isUp }) => isUp)] ?? '';
  const { status, body } = await apiAt(url).get('/v1/employees?limit=1000', account.readKey);
  if (status !== 200) throw new Error(`GET /v1/employees answers ${status}`);
  // What the shape is, the system tests say.
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

/** What the public API must show of an organisation. */
export function listedPeople({ people, attributes }: Organisation): ListedPerson[] {
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

import { describe, expect, it } from 'vitest';
import type { Person, SentRecord } from '../support/import/organisation.ts';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { attribute, grant, newWorkforce, R, type Workforce } from './workforce.ts';

// No endpoint shows permissions: docs/rules/import-grants.md.
const database = await openReconcilerDatabase();

const DE = grant('Country', 'DE');
// Creates the attributes and values that grants name.
const PLACES = R(90, { attributes: [attribute('Country', 'DE'), attribute('Dept', 'Sales')] });
const PLACES_TOO = R(91, { attributes: [attribute('Country', 'FR'), attribute('Dept', 'HR')] });
const others = [PLACES, PLACES_TOO];

interface Access {
  readonly people: Workforce;
  // Sends E1's record and returns E1's permissions.
  readonly send: (
    more: Partial<SentRecord>,
  ) => Promise<Pick<Person, 'role' | 'allData' | 'grants'> & { warnings: readonly string[] }>;
}

async function access(first: Partial<SentRecord>): Promise<Access> {
  const people = await newWorkforce(database, [R(1, first), ...others]);
  return {
    people,
    send: async (more) => {
      const outcome = await people.import([R(1, more), ...others]);
      const { role, allData, grants } = await people.person('E1');
      return { role, allData, grants, warnings: people.warnings(outcome, 0) };
    },
  };
}

const manager = (...grants: readonly ReturnType<typeof grant>[]): Partial<SentRecord> => ({
  role: 'Manager',
  permissions: { grants },
});

describe('the role decides', () => {
  it('role null makes an Admin with grants a Respondee without [IMPORT-GRANTS-ROLE-2]', async () => {
    const { send } = await access({ role: 'Admin', permissions: { grants: [DE] } });
    expect(await send({ role: null })).toMatchObject({ role: 'Respondee', allData: false, grants: [] });
  });

  it('ignores permissions of a Respondee [IMPORT-GRANTS-ROLE-3]', async () => {
    const { send } = await access({ role: 'Manager' });
    expect(await send({ role: 'Respondee', permissions: { all_data: true } })).toMatchObject({
      role: 'Respondee',
      allData: false,
    });
  });

  it('permissions are ignored for an existing Respondee when the role is absent [IMPORT-GRANTS-ROLE-3]', async () => {
    const { send } = await access({ role: 'Respondee' });
    expect(await send({ permissions: { grants: [DE] } })).toMatchObject({ role: 'Respondee', grants: [] });
  });

  it('with the role absent and a Manager, grants replace grants [IMPORT-GRANTS-PERMISSIONS-1]', async () => {
    const { send } = await access(manager(grant('Dept', 'HR')));
    expect(await send({ permissions: { grants: [DE] } })).toMatchObject({ role: 'Manager', grants: ['country=DE'] });
  });

  it('becoming a Respondee by name keeps the grants, and promotion revives them [IMPORT-GRANTS-ROLE-4]', async () => {
    const { send } = await access(manager(DE));
    expect(await send({ role: 'Respondee' })).toMatchObject({ role: 'Respondee', grants: ['country=DE'] });
    expect(await send({ role: 'Manager' })).toMatchObject({ role: 'Manager', grants: ['country=DE'] });
  });

  it('a new Manager without permissions sees no employees [IMPORT-GRANTS-PERMISSIONS-1]', async () => {
    const { people } = await access({ role: 'Manager' });
    expect(await people.person('E1')).toMatchObject({ allData: false, grants: [] });
  });

  it('a skipped record leaves role, permissions and grants alone [IMPORT-GRANTS-SCOPE-5]', async () => {
    const { send } = await access(manager(DE));
    expect(await send({ role: 'Boss', permissions: { all_data: true } })).toMatchObject({
      role: 'Manager',
      allData: false,
      grants: ['country=DE'],
    });
  });
});

describe('permissions', () => {
  it('absent changes nothing, null revokes [IMPORT-VALUES-1]', async () => {
    const { send } = await access(manager(DE));
    expect(await send({ lastname: 'New' })).toMatchObject({ grants: ['country=DE'] });
    expect(await send({ permissions: null })).toMatchObject({ role: 'Manager', allData: false, grants: [] });
  });

  it('all_data ignores the grants: none is dropped or warned about [IMPORT-GRANTS-PERMISSIONS-2]', async () => {
    const { send } = await access(manager(DE));
    const sent = await send({ permissions: { all_data: true, grants: [grant('Foo', 'bar')] } });
    expect(sent).toMatchObject({ allData: true, grants: [], warnings: [] });
  });

  it.each([{}, { all_data: false }, { grants: [] }, { all_data: false, grants: [] }])(
    '%j revokes [IMPORT-GRANTS-PERMISSIONS-1]',
    async (permissions) => {
      const { send } = await access(manager(DE));
      expect(await send({ permissions })).toMatchObject({ allData: false, grants: [] });
    },
  );

  it('grants alone end all_data [IMPORT-GRANTS-PERMISSIONS-1]', async () => {
    const { send } = await access({ role: 'Manager', permissions: { all_data: true } });
    expect(await send({ permissions: { grants: [DE] } })).toMatchObject({ allData: false, grants: ['country=DE'] });
  });

  it('values of one attribute and of several are all kept [IMPORT-GRANTS-SCOPE-1]', async () => {
    const { send } = await access({ role: 'Manager' });
    const sent = await send({ permissions: { grants: [DE, grant('Country', 'FR'), grant('Dept', 'Sales')] } });
    expect(sent.grants).toEqual(['country=DE', 'country=FR', 'dept=Sales']);
  });

  it.each([
    ['an unknown attribute', grant('Foo', 'bar')],
    ['an unknown value', grant('Dept', 'Nope')],
    ['an unknown value of the same attribute', grant('Country', 'XX')],
    ['a value in another case', grant('Country', 'de')],
  ])('drops a grant of %s and warns [IMPORT-GRANTS-SCOPE-2]', async (_, unknown) => {
    const { send } = await access({ role: 'Manager' });
    expect(await send({ permissions: { grants: [DE, unknown] } })).toMatchObject({
      grants: ['country=DE'],
      warnings: ['grant_dropped /employees/0/permissions/grants/1'],
    });
  });

  it('a Manager sees no employees when all grants are dropped [IMPORT-GRANTS-SCOPE-3]', async () => {
    const { send } = await access({ role: 'Manager', permissions: { all_data: true } });
    expect(await send({ permissions: { grants: [grant('Foo', 'bar')] } })).toMatchObject({ allData: false, grants: [] });
  });

  it('a value that a later record of the same snapshot makes is found [IMPORT-GRANTS-SCOPE-4]', async () => {
    const people = await newWorkforce(database);
    await people.import([R(1, manager(grant('Country', 'AT'))), R(2, { attributes: [attribute('Country', 'AT')] })]);
    expect(await people.person('E1')).toMatchObject({ grants: ['country=AT'] });
  });

  it('a value that only a skipped record would create is not found [IMPORT-GRANTS-SCOPE-4]', async () => {
    const people = await newWorkforce(database);
    const skipped = R(2, { role: 'Boss', attributes: [attribute('Country', 'AT')] });
    await people.import([R(1, manager(grant('Country', 'AT'))), skipped]);
    expect(await people.person('E1')).toMatchObject({ grants: [] });
    expect((await people.account.read()).attributes).toEqual({});
  });

  it('matches attribute names loosely [IMPORT-GRANTS-SCOPE-4]', async () => {
    const { send } = await access({ role: 'Manager' });
    expect(await send({ permissions: { grants: [grant(' country ', 'DE')] } })).toMatchObject({ grants: ['country=DE'] });
  });

  it('a derived attribute is named by its bucket, not by a year [IMPORT-GRANTS-SCOPE-2]', async () => {
    const people = await newWorkforce(database);
    const aged = R(2, { attributes: [attribute('Age Category', '1990')] });
    await people.import([R(1, manager(grant('Age Category', '30-39'), grant('Age Category', '1990'))), aged]);
    expect(await people.person('E1')).toMatchObject({ grants: ['age category=30-39'] });
  });

  it('stores a repeated grant once [IMPORT-GRANTS-SCOPE-1]', async () => {
    const { send } = await access({ role: 'Manager' });
    expect(await send({ permissions: { grants: [DE, DE, grant(' COUNTRY', 'DE')] } })).toMatchObject({ grants: ['country=DE'] });
  });
});

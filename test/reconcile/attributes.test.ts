import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { attribute, newWorkforce, R, type Workforce } from './workforce.ts';

const database = await openReconcilerDatabase();

async function attributeNames({ account }: Workforce): Promise<string[]> {
  const { attributes } = await account.read();
  return Object.values(attributes).map(({ name }) => name);
}

const taken = { email: 'taken@x.io' };

describe('a skipped employee leaves no trace', () => {
  it('does not decide the spelling of a new attribute when its e-mail is taken [IMPORT-LIFECYCLE-SKIP-2]', async () => {
    const people = await newWorkforce(database, [R(9, taken)]);
    const department = (name: string) => ({ attributes: [attribute(name, 'Sales')] });
    const { counts } = await people.import([
      R(1, { ...taken, ...department('DEPT') }),
      R(2, department(' dePT ')),
      R(3, department('DEPT')),
      R(9, taken),
    ]);
    expect(counts).toMatchObject({ skipped: 1, created: 2 });
    expect(await attributeNames(people)).toEqual(['dePT']);
  });

  it('creates neither attribute nor value when its e-mail is taken [IMPORT-LIFECYCLE-SKIP-2]', async () => {
    const people = await newWorkforce(database, [R(9, taken)]);
    await people.import([
      R(1, { ...taken, attributes: [attribute('Dept', 'Sales'), attribute('Country', 'DE')] }),
      R(2, { attributes: [attribute('Dept', 'IT')] }),
      R(9, taken),
    ]);
    const { attributes } = await people.account.read();
    expect(attributes).toEqual({ dept: { name: 'Dept', values: ['IT'] } });
  });

  it('does not decide the spelling of a new attribute as a rejected fact [IMPORT-LIFECYCLE-SKIP-2]', async () => {
    const people = await newWorkforce(database, [R(9, taken)]);
    const fact = (id: number, email: string, name: string): Fact => ({
      revision: 1,
      line: id,
      employee: { id, email, created_via: 'app', is_deleted: false, attributes: [{ name, value: 'Sales' }] },
    });
    expect(await people.account.tell([fact(1, taken.email, 'DEPT'), fact(2, 'new@x.io', 'Dept')])).toHaveLength(1);
    expect(await attributeNames(people)).toEqual(['Dept']);
  });
});

it('stores the name of a new attribute in NFC [IMPORT-ATTRIBUTES-NAMES-2]', async () => {
  const people = await newWorkforce(database);
  await people.import([R(1, { attributes: [attribute(' Cafe\u{301}', 'A')] })]);
  const fact = {
    id: 1,
    email: 'new@x.io',
    created_via: 'app',
    is_deleted: false,
    attributes: [{ name: 'Bu\u{308}ro', value: 'B' }],
  };
  await people.account.tell([{ revision: 1, line: 0, employee: fact }]);
  expect((await attributeNames(people)).toSorted()).toEqual(['B\u{fc}ro', 'Caf\u{e9}']);
});

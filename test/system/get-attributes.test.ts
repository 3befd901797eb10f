import { describe, expect, it } from 'vitest';
import { releaseAttributes, withdrawAttribute } from '../support/attributes.ts';
import { arrangeAttributes } from '../support/employees.ts';
import { shareStack } from '../support/file-stack.ts';
import { describeListConventions, list } from '../support/list-conventions.ts';
import { R } from '../support/records.ts';

const stack = await shareStack();
const { api, db, operator } = stack;
const account = await operator.createAccount();
const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`Attribute ${n + 1}`, ['x']]));
await arrangeAttributes(db, account.accountId, numbered(260));
await releaseAttributes(
  db,
  account.accountId,
  Array.from({ length: 250 }, (_, n) => n + 11),
);

const attributesOf = (own: typeof account) => list(stack, own, '/v1/attributes', 'attributes');

describeListConventions(stack, { path: '/v1/attributes', array: 'attributes', account, identityOf: ({ id }) => id });

describe('200', () => {
  it('returns nothing while nothing is released, whatever imports bring [ATTRIBUTES-RELEASE-1, IMPORT-ATTRIBUTES-VALUES-2]', async () => {
    const own = await operator.createAccount();
    await stack.importAndWait(own, [R(1, { attributes: [{ name: 'Department', value: { name: 'Sales' } }] })]);
    expect(await attributesOf(own)).toMatchObject({ totalCount: 0, rows: [] });
  });

  it('returns and counts only the released attributes by id, with the fields of the contract [ATTRIBUTES-RELEASE-1, LISTS-ENVELOPE-1]', async () => {
    const own = await operator.createAccount();
    await arrangeAttributes(db, own.accountId, numbered(10));
    await releaseAttributes(db, own.accountId, [9, 2, 5]);
    expect(JSON.stringify((await api.get('/v1/attributes', own.readKey)).body)).toBe(
      '{"total_count":3,"attributes":[{"id":2,"name":"Attribute 2"},{"id":5,"name":"Attribute 5"},{"id":9,"name":"Attribute 9"}]}',
    );
    await withdrawAttribute(db, own.accountId, 5);
    expect((await attributesOf(own)).rows.map(({ id }) => id)).toEqual([2, 9]);
  });

  it('shows nothing of another account, though the ids are the same [AUTH-TENANCY-1]', async () => {
    const own = await operator.createAccount();
    await arrangeAttributes(db, own.accountId, numbered(20));
    expect((await attributesOf(own)).totalCount).toBe(0);
  });

  it('leaves unreleased attributes on employees [ATTRIBUTES-RELEASE-1]', async () => {
    const own = await operator.createAccount();
    await stack.importAndWait(own, [R(1, { attributes: [{ name: 'Department', value: { name: 'Sales' } }] })]);
    expect((await stack.listEmployees(own)).employees[0]?.attributes).toMatchObject([{ name: 'Department' }]);
  });
});

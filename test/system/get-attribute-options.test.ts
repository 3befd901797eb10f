import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import { expectProblem } from '../support/api.ts';
import { releaseAttributes, withdrawAttribute } from '../support/attributes.ts';
import { arrangeAttributes } from '../support/employees.ts';
import { shareStack } from '../support/file-stack.ts';
import { describeListConventions, list } from '../support/list-conventions.ts';

const stack = await shareStack();
const { api, db, operator } = stack;
const account = await operator.createAccount();
const options = Array.from({ length: 250 }, (_, n) => `Option ${250 - n}`);
// 1 has one option, 2 has those of the conventions, 3 is never released.
await arrangeAttributes(db, account.accountId, { Country: ['DE'], Department: options, Secret: ['x'] });
await releaseAttributes(db, account.accountId, [1, 2]);

const optionsOf = (id: number | string, own = account) => list(stack, own, `/v1/attributes/${id}/options`, 'options');

describeListConventions(stack, {
  path: '/v1/attributes/2/options',
  array: 'options',
  beside: ['attribute'],
  account,
  identityOf: ({ id }) => id,
});

describe('200', () => {
  it('has the attribute beside total_count and options [LISTS-ENVELOPE-1]', async () => {
    expect(JSON.stringify((await api.get('/v1/attributes/1/options', account.readKey)).body)).toBe(
      '{"attribute":{"id":1,"name":"Country"},"total_count":1,"options":[{"id":1,"name":"DE"}]}',
    );
  });

  it('is in the order of ids, whatever the names [ATTRIBUTES-OPTIONS-1]', async () => {
    const { rows } = await optionsOf(2);
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => n + 2));
    expect(rows[0]).toEqual({ id: 2, name: 'Option 250' });
  });

  it('answers 404 on the call after the release is withdrawn [ATTRIBUTES-RELEASE-3]', async () => {
    const own = await operator.createAccount();
    await arrangeAttributes(db, own.accountId, { Country: ['DE', 'FR'] });
    await releaseAttributes(db, own.accountId, [1]);
    expect((await optionsOf(1, own)).totalCount).toBe(2);
    await withdrawAttribute(db, own.accountId, 1);
    expectProblem(await api.get('/v1/attributes/1/options', own.readKey), 404);
  });
});

// The parts of a response that a client can compare, without the request id.
function seen({ status, headers, body }: Answer): unknown {
  const names = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, headers: names, body: JSON.stringify(body).replace(String(headers.get('x-request-id')), '') };
}

describe('404', () => {
  it('responds for an unreleased attribute as for one that does not exist or is of another account [ATTRIBUTES-RELEASE-2]', async () => {
    const other = await operator.createAccount();
    await arrangeAttributes(db, other.accountId, Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, ['x']])));
    await releaseAttributes(db, other.accountId, [4]);
    const answers = await Promise.all(
      ['3', '999', '4', '0', '-1', '99999999999', '9007199254740991'].map((id) =>
        api.get(`/v1/attributes/${id}/options`, account.readKey),
      ),
    );
    for (const answer of answers) {
      expectProblem(answer, 404);
      expect(seen(answer)).toEqual(seen(answers[0] ?? answer));
    }
  });

  it('takes about as long for the one as for the other [ATTRIBUTES-RELEASE-2]', async () => {
    const times: Record<number, number[]> = { 3: [], 999: [] };
    // Alternating, so that other load on the machine affects both.
    for (let n = 0; n < 60; n++) {
      for (const [id, own] of Object.entries(times)) {
        const started = performance.now();
        await api.get(`/v1/attributes/${id}/options`, account.readKey);
        own.push(performance.now() - started);
      }
    }
    const [unreleased = 0, unknown = 0] = Object.values(times).map((own) => own.sort((one, other) => one - other)[20]);
    expect(Math.max(unreleased, unknown) / Math.min(unreleased, unknown)).toBeLessThan(2);
  });
});

describe('400', () => {
  it.each(['abc', '1.5', '1e3', '%20', '2x', '99999999999999999999', '%EF%BC%91'])(
    'rejects attribute_id=%s [ATTRIBUTES-OPTIONS-1]',
    async (id) => {
      const { errors } = expectProblem(await api.get(`/v1/attributes/${id}/options`, account.readKey), 400);
      expect(errors).toMatchObject([{ parameter: 'attribute_id' }]);
    },
  );

  it('rejects bad paging before it looks for the attribute [ATTRIBUTES-RELEASE-2]', async () => {
    const answers = await Promise.all(
      [1, 3, 999].map((id) => api.get(`/v1/attributes/${id}/options?limit=abc`, account.readKey)),
    );
    for (const answer of answers) {
      expectProblem(answer, 400);
      expect(seen(answer)).toEqual(seen(answers[0] ?? answer));
    }
  });
});

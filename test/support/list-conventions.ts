import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Account } from './accounts.ts';
import { expectProblem, whenServed } from './api.ts';
import type { FileStack } from './file-stack.ts';

interface ListedResource {
  readonly path: string;
  // The array of the envelope.
  readonly array: string;
  // Other keys of the envelope.
  readonly beside?: readonly string[];
  // Has exactly 250 records, in list order when identityOf identifies them.
  readonly account: Account;
  readonly identityOf: (row: Readonly<Record<string, unknown>>) => unknown;
}

const row = z.record(z.string(), z.unknown());
const count = z.int().nonnegative();

type Row = z.infer<typeof row>;

interface Listed {
  readonly totalCount: number;
  readonly rows: readonly Row[];
  readonly keys: readonly string[];
}

/** Returns a page of a list; expects 200. */
export async function list({ api }: FileStack, { readKey }: Account, path: string, array: string): Promise<Listed> {
  const answer = await whenServed(() => api.get(path, readKey));
  expect(answer).toMatchObject({ status: 200 });
  const body = row.parse(answer.body);
  return { totalCount: count.parse(body['total_count']), rows: z.array(row).parse(body[array]), keys: Object.keys(body) };
}

/** Tests the common list conventions (docs/rules/lists.md) on a list of 250 records. */
export function describeListConventions(
  stack: FileStack,
  { path, array, beside = [], account, identityOf }: ListedResource,
): void {
  const read = (query: string): Promise<Listed> => list(stack, account, `${path}${query}`, array);
  const rejected = async (query: string) => expectProblem(await stack.api.get(`${path}?${query}`, account.readKey), 400);

  describe('200, as every list', () => {
    it('returns 100 records when the query names no limit [LISTS-LIMIT-1]', async () => {
      const { totalCount, rows } = await read('');
      expect([totalCount, rows.length]).toEqual([250, 100]);
    });

    it('returns an empty page with the true total_count for limit=0 and beyond the end [LISTS-LIMIT-1, LISTS-OFFSET-1]', async () => {
      for (const query of ['?limit=0', '?offset=250', '?offset=2147483648', '?offset=9007199254740991']) {
        expect(await read(query)).toMatchObject({ totalCount: 250, rows: [] });
      }
    });

    it('returns every record once to a client that raises offset by limit [LISTS-PAGING-1]', async () => {
      const pages = await Promise.all([0, 100, 200].map((offset) => read(`?offset=${offset}`)));
      expect(pages.map(({ rows }) => rows.length)).toEqual([100, 100, 50]);
      const whole = await read('?limit=1000');
      expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows);
      expect(new Set(whole.rows.map(identityOf)).size).toBe(250);
    });

    it('returns the last page in full when it ends exactly at total_count [LISTS-LIMIT-2, LISTS-PAGING-1]', async () => {
      expect((await read('?offset=150&limit=0100')).rows).toHaveLength(100);
    });

    it('has exactly the keys of the envelope [LISTS-ENVELOPE-1]', async () => {
      expect((await read('')).keys).toEqual([...beside, 'total_count', array]);
    });

    it('takes either kind of key [AUTH-SCOPE-2]', async () => {
      for (const key of [account.readKey, account.writeKey]) expect((await stack.api.get(path, key)).status).toBe(200);
    });

    it('compresses for a client that takes gzip', async () => {
      const answer = await stack.api.get(path, account.readKey, { 'accept-encoding': 'gzip' });
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      expect(answer.body).toEqual((await stack.api.get(path, account.readKey, { 'accept-encoding': 'identity' })).body);
    });
  });

  describe('400, as every list', () => {
    it.each([
      ['LISTS-LIMIT-1', 'limit=1001'],
      ['LISTS-LIMIT-1', 'limit=-1'],
      ['LISTS-LIMIT-2', 'limit=abc'],
      ['LISTS-LIMIT-2', 'limit='],
      ['LISTS-LIMIT-2', 'limit=10.5'],
      ['LISTS-LIMIT-2', 'limit=1e2'],
      ['LISTS-LIMIT-2', 'limit=1&limit=2'],
      ['ERRORS-QUERY-1', 'limit[]=5'],
      ['LISTS-OFFSET-1', 'offset=-1'],
      ['LISTS-OFFSET-1', 'offset=99999999999999999999'],
      ['ERRORS-QUERY-1', 'limt=5'],
    ])('rejects $1 and names the parameter [$0]', async (_id, query) => {
      const { errors } = await rejected(query);
      expect(errors).toContainEqual(expect.objectContaining({ parameter: query.slice(0, query.indexOf('=')) }));
    });
  });

  describe('401', () => {
    it('rejects a request without a key [AUTH-KEY-1]', async () => {
      expectProblem(await stack.api.get(path), 401);
    });
  });

  describe('405', () => {
    it('names the methods that are allowed [ERRORS-ROUTING-1]', async () => {
      const answer = await stack.api.post(path, {}, account.writeKey);
      expectProblem(answer, 405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    });
  });
}

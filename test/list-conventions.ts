import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Account } from './accounts.ts';
import { expectProblem } from './api.ts';
import type { FileStack } from './file-stack.ts';

export interface ListedResource {
  readonly path: string;
  // The array of the envelope.
  readonly array: string;
  // Other keys of the envelope.
  readonly beside?: readonly string[];
  // Has exactly 250 records, in the order in which the list gives them when identityOf tells them apart.
  readonly account: Account;
  readonly identityOf: (row: Readonly<Record<string, unknown>>) => unknown;
}

const row = z.record(z.string(), z.unknown());
const count = z.int().nonnegative();

export type Row = z.infer<typeof row>;

export interface Listed {
  readonly totalCount: number;
  readonly rows: readonly Row[];
  readonly keys: readonly string[];
}

/** A page of a list, which must be there. */
export async function list({ api }: FileStack, { readKey }: Account, path: string, array: string): Promise<Listed> {
  const answer = await api.get(path, readKey);
  expect(answer).toMatchObject({ status: 200 });
  const body = row.parse(answer.body);
  return { totalCount: count.parse(body['total_count']), rows: z.array(row).parse(body[array]), keys: Object.keys(body) };
}

/** interface.md "Common list conventions", for a list of 250 records: what holds for every list (rulings L01 to L27). */
export function describeListConventions(
  stack: FileStack,
  { path, array, beside = [], account, identityOf }: ListedResource,
): void {
  const read = (query: string): Promise<Listed> => list(stack, account, `${path}${query}`, array);
  const refused = async (query: string) => expectProblem(await stack.api.get(`${path}?${query}`, account.readKey), 400);

  describe('200, as every list', () => {
    it('L01 gives 100 records when the query names no limit', async () => {
      const { totalCount, rows } = await read('');
      expect([totalCount, rows.length]).toEqual([250, 100]);
    });

    it('L04 L15 L19 gives an empty page with the true total_count for limit=0 and beyond the end', async () => {
      for (const query of ['?limit=0', '?offset=250', '?offset=2147483648', '?offset=9007199254740991']) {
        expect(await read(query)).toMatchObject({ totalCount: 250, rows: [] });
      }
    });

    it('L20 gives every record once to a client that raises offset by limit', async () => {
      const pages = await Promise.all([0, 100, 200].map((offset) => read(`?offset=${offset}`)));
      expect(pages.map(({ rows }) => rows.length)).toEqual([100, 100, 50]);
      const whole = await read('?limit=1000');
      expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows);
      expect(new Set(whole.rows.map(identityOf)).size).toBe(250);
    });

    it('L14 L22 gives the last page in full when it ends exactly at total_count', async () => {
      expect((await read('?offset=150&limit=0100')).rows).toHaveLength(100);
    });

    it('L25 has exactly the keys of the envelope', async () => {
      expect((await read('')).keys).toEqual([...beside, 'total_count', array]);
    });

    it('A13 A14 takes either kind of key', async () => {
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
      ['L03', 'limit=1001'],
      ['L05', 'limit=-1'],
      ['L06', 'limit=abc'],
      ['L07', 'limit='],
      ['L08', 'limit=10.5'],
      ['L09', 'limit=1e2'],
      ['L12', 'limit=1&limit=2'],
      ['L13', 'limit[]=5'],
      ['L17', 'offset=-1'],
      ['L18', 'offset=99999999999999999999'],
      ['L24', 'limt=5'],
    ])('%s refuses %s and names the parameter', async (_id, query) => {
      const { errors } = await refused(query);
      expect(errors).toContainEqual(expect.objectContaining({ parameter: query.slice(0, query.indexOf('=')) }));
    });
  });

  describe('401', () => {
    it('A01 refuses a request without a key', async () => {
      expectProblem(await stack.api.get(path), 401);
    });
  });

  describe('405', () => {
    it('A17 names the methods that are allowed', async () => {
      const answer = await stack.api.post(path, {}, account.writeKey);
      expectProblem(answer, 405);
      expect(answer.headers.get('allow')).toBe('GET');
    });
  });
}

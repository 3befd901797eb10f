import { describe, expect, it } from 'vitest';
import { Problem } from '../http/problem.ts';
import { paging } from './query-parameters.ts';
import { strictQuery } from './strict-query.ts';

const read = strictQuery(paging);
const list = (query: string) => read(`/v1/employees${query}`);

function rejectionOf(query: string): Problem {
  try {
    list(query);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`accepted: ${query}`);
}

describe('strictQuery accepts', () => {
  it.each([
    ['no query', '', { limit: 100, offset: 0 }],
    ['an empty query', '?', { limit: 100, offset: 0 }],
    ['limit=0 [LISTS-LIMIT-1]', '?limit=0', { limit: 0, offset: 0 }],
    ['the largest limit', '?limit=1000', { limit: 1000, offset: 0 }],
    ['leading zeros [LISTS-LIMIT-2]', '?limit=010', { limit: 10, offset: 0 }],
    ['both [LISTS-OFFSET-1]', '?offset=250&limit=5', { limit: 5, offset: 250 }],
    ['above int4 [LISTS-OFFSET-1]', '?offset=2147483648', { limit: 100, offset: 2_147_483_648 }],
    ['the largest offset', '?offset=9007199254740991', { limit: 100, offset: Number.MAX_SAFE_INTEGER }],
    ['percent-encoded digits and names', '?%6Cimit=%31%30', { limit: 10, offset: 0 }],
  ])('%s', (_name, query, expected) => {
    expect(list(query)).toEqual(expected);
  });
});

describe('strictQuery returns 400 and names the parameter for', () => {
  it.each([
    ['above the maximum [LISTS-LIMIT-1]', 'limit=1001', 'limit'],
    ['negative [LISTS-LIMIT-1]', 'limit=-1', 'limit'],
    ['letters [LISTS-LIMIT-2]', 'limit=abc', 'limit'],
    ['empty [LISTS-LIMIT-2]', 'limit=', 'limit'],
    ['without a value [LISTS-LIMIT-2]', 'limit', 'limit'],
    ['fraction [LISTS-LIMIT-2]', 'limit=10.5', 'limit'],
    ['exponent [LISTS-LIMIT-2]', 'limit=1e2', 'limit'],
    ['hexadecimal [LISTS-LIMIT-2]', 'limit=0x10', 'limit'],
    ['fraction of zero [LISTS-LIMIT-2]', 'limit=5.0', 'limit'],
    ['space [LISTS-LIMIT-2]', 'limit=%2010', 'limit'],
    ['plus [LISTS-LIMIT-2]', 'limit=+5', 'limit'],
    ['encoded plus [LISTS-LIMIT-2]', 'limit=%2B5', 'limit'],
    ['full-width digits [LISTS-LIMIT-2]', 'limit=%EF%BC%91%EF%BC%90', 'limit'],
    ['full-width digits, not encoded [LISTS-LIMIT-2]', 'limit=１０', 'limit'],
    ['twice [LISTS-LIMIT-2]', 'limit=1&limit=2', 'limit'],
    ['twice in two spellings [LISTS-LIMIT-2]', 'limit=1&%6Cimit=1', 'limit'],
    ['brackets [ERRORS-QUERY-1]', 'limit[]=5', 'limit[]'],
    ['negative offset [LISTS-OFFSET-1]', 'offset=-1', 'offset'],
    ['letters as offset [LISTS-OFFSET-1]', 'offset=x', 'offset'],
    ['empty offset [LISTS-OFFSET-1]', 'offset=', 'offset'],
    ['beyond what a number holds exactly [LISTS-OFFSET-1]', 'offset=99999999999999999999', 'offset'],
    ['2^53 [LISTS-OFFSET-1]', 'offset=9007199254740992', 'offset'],
    ['an unknown parameter [ERRORS-QUERY-1]', 'limt=5', 'limt'],
    ['a name of another case', 'Limit=5', 'Limit'],
    ['the key in the query', 'api_key=x', 'api_key'],
    ['__proto__', '__proto__=5', '__proto__'],
    ['bytes that are not UTF-8 [DATETIMES-FORMAT-6]', 'limit=%FF', 'limit'],
    ['a lone surrogate', 'limit=%ED%A0%80', 'limit'],
    ['a stray percent sign', 'limit=5%', 'limit'],
    ['half an escape', 'limit=%2', 'limit'],
    ['NUL', 'limit=5%00', 'limit'],
    ['a fragment', 'limit=5#x', 'limit'],
    ['a second question mark', 'limit=5?', 'limit'],
  ])('%s', (_name, query, parameter) => {
    const problem = rejectionOf(`?${query}`);
    expect(problem.status).toBe(400);
    expect(problem.errors).toEqual([{ parameter, detail: expect.any(String) }]);
    expect(problem.message).toContain(parameter);
  });

  it('lists the known parameters [ERRORS-QUERY-1]', () => {
    expect(rejectionOf('?limt=5').message).toContain('limit, offset');
  });

  it('lists all field errors at once', () => {
    const problem = rejectionOf('?limit=x&offset=-1&page=2');
    expect(problem.errorsTotal).toBe(3);
  });

  it('lists at most 100 field errors, and truncates long names', () => {
    const problem = rejectionOf(`?${'n'.repeat(200)}=1&${Array.from({ length: 300 }, (_, n) => `p${n}=1`).join('&')}`);
    expect(problem.errors).toHaveLength(100);
    expect(problem.errorsTotal).toBe(301);
    expect(JSON.stringify(problem.errors[0])).not.toContain('n'.repeat(61));
  });

  it('names a parameter without its value, and in well-formed text, however it was cut', () => {
    const { errors, message } = rejectionOf(`?%FF=secret&${'n'.repeat(59)}%F0%9F%98%80%F0%9F%98%80=1`);
    expect(errors).toMatchObject([{ parameter: '%FF' }, { parameter: `${'n'.repeat(59)}😀…` }]);
    expect(message).not.toContain('secret');
  });
});

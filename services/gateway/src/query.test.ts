import { describe, expect, it } from 'vitest';
import { paging } from './paging.ts';
import { Problem } from './problem.ts';
import { strictQuery } from './query.ts';

const read = strictQuery(paging);
const list = (query: string) => read(`/v1/employees${query}`);

function refusalOf(query: string): Problem {
  try {
    list(query);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`accepted: ${query}`);
}

describe('accepted', () => {
  it.each([
    ['no query', '', { limit: 100, offset: 0 }],
    ['an empty query', '?', { limit: 100, offset: 0 }],
    ['L04 limit=0', '?limit=0', { limit: 0, offset: 0 }],
    ['the largest limit', '?limit=1000', { limit: 1000, offset: 0 }],
    ['L14 leading zeros', '?limit=010', { limit: 10, offset: 0 }],
    ['L15 both', '?offset=250&limit=5', { limit: 5, offset: 250 }],
    ['L19 above int4', '?offset=2147483648', { limit: 100, offset: 2_147_483_648 }],
    ['the largest offset', '?offset=9007199254740991', { limit: 100, offset: Number.MAX_SAFE_INTEGER }],
    ['percent-encoded digits and names', '?%6Cimit=%31%30', { limit: 10, offset: 0 }],
  ])('%s', (_name, query, expected) => {
    expect(list(query)).toEqual(expected);
  });
});

describe('refused with 400, naming the parameter', () => {
  it.each([
    ['L03 above the maximum', 'limit=1001', 'limit'],
    ['L05 negative', 'limit=-1', 'limit'],
    ['L06 letters', 'limit=abc', 'limit'],
    ['L07 empty', 'limit=', 'limit'],
    ['L07 without a value', 'limit', 'limit'],
    ['L08 fraction', 'limit=10.5', 'limit'],
    ['L09 exponent', 'limit=1e2', 'limit'],
    ['L09 hexadecimal', 'limit=0x10', 'limit'],
    ['L09 fraction of zero', 'limit=5.0', 'limit'],
    ['L10 space', 'limit=%2010', 'limit'],
    ['L10 plus', 'limit=+5', 'limit'],
    ['L10 encoded plus', 'limit=%2B5', 'limit'],
    ['L11 full-width digits', 'limit=%EF%BC%91%EF%BC%90', 'limit'],
    ['L11 full-width digits, not encoded', 'limit=１０', 'limit'],
    ['L12 twice', 'limit=1&limit=2', 'limit'],
    ['L12 twice in two spellings', 'limit=1&%6Cimit=1', 'limit'],
    ['L13 brackets', 'limit[]=5', 'limit[]'],
    ['L17 negative offset', 'offset=-1', 'offset'],
    ['L17 letters as offset', 'offset=x', 'offset'],
    ['L17 empty offset', 'offset=', 'offset'],
    ['L18 beyond what a number holds exactly', 'offset=99999999999999999999', 'offset'],
    ['L18 2^53', 'offset=9007199254740992', 'offset'],
    ['L24 an unknown parameter', 'limt=5', 'limt'],
    ['a name of another case', 'Limit=5', 'Limit'],
    ['the key in the query', 'api_key=x', 'api_key'],
    ['__proto__', '__proto__=5', '__proto__'],
    ['T19 bytes that are not UTF-8', 'limit=%FF', 'limit'],
    ['a lone surrogate', 'limit=%ED%A0%80', 'limit'],
    ['a stray percent sign', 'limit=5%', 'limit'],
    ['half an escape', 'limit=%2', 'limit'],
    ['NUL', 'limit=5%00', 'limit'],
    ['a fragment', 'limit=5#x', 'limit'],
    ['a second question mark', 'limit=5?', 'limit'],
  ])('%s', (_name, query, parameter) => {
    const problem = refusalOf(`?${query}`);
    expect(problem.status).toBe(400);
    expect(problem.faults).toEqual([{ parameter, detail: expect.any(String) }]);
    expect(problem.message).toContain(parameter);
  });

  it('L24 also names the parameters that there are', () => {
    expect(refusalOf('?limt=5').message).toContain('limit, offset');
  });

  it('lists all faults at once', () => {
    const problem = refusalOf('?limit=x&offset=-1&page=2');
    expect(problem.faultsTotal).toBe(3);
  });

  it('lists at most a hundred, and cuts long names', () => {
    const problem = refusalOf(`?${'n'.repeat(200)}=1&${Array.from({ length: 300 }, (_, n) => `p${n}=1`).join('&')}`);
    expect(problem.faults).toHaveLength(100);
    expect(problem.faultsTotal).toBe(301);
    expect(JSON.stringify(problem.faults[0])).not.toContain('n'.repeat(61));
  });
});

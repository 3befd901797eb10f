import type { Service } from '@survey/process/service.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Behind, keys, PAGE, startAppUnderTest } from '../../../../test/support/app-under-test.ts';

const behind = new Behind();
let gateway: Service;
beforeAll(async () => {
  gateway = await startAppUnderTest(behind);
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(() => Object.assign(behind, new Behind()));

interface Asked {
  key?: keyof typeof keys;
  method?: string;
  headers?: Record<string, string>;
}

function ask(path: string, { key = 'read', headers, ...init }: Asked = {}): Promise<Response> {
  return fetch(`http://${gateway.address}${path}`, { ...init, headers: { 'X-Api-Key': keys[key], ...headers } });
}

describe('GET /v1/employees', () => {
  it('returns 200 with the page as rendered, for keys of both scopes [AUTH-KEY-1, AUTH-SCOPE-2]', async () => {
    for (const key of ['read', 'employees:write'] as const) {
      const response = await ask('/v1/employees?limit=5&offset=2147483648', { key, headers: { 'Accept-Encoding': 'identity' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('content-length')).toBe(String(PAGE.length));
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      expect(await response.text()).toBe(PAGE.toString());
    }
    const asked = { limit: 5, offset: 2_147_483_648, accept_gzip: false };
    expect(behind.listed).toMatchObject([asked, asked]);
    expect(behind.accounts).toEqual([42, 42]);
  });

  it('passes gzip-compressed pages through', async () => {
    const response = await ask('/v1/employees', { headers: { 'Accept-Encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe(PAGE.toString());
    expect(behind.listed).toMatchObject([{ limit: 100, offset: 0, accept_gzip: true }]);
  });

  it('handles HEAD like GET, without the body', async () => {
    const response = await ask('/v1/employees', { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(PAGE.length));
  });

  it('returns 400 for an unknown parameter [ERRORS-QUERY-1]', async () => {
    const response = await ask('/v1/employees?limt=5');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ parameter: 'limt', detail: expect.any(String) }], errors_total: 1 });
    expect(behind.listed).toEqual([]);
  });
});

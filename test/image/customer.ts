import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { records } from '../support/records.ts';
import { docker } from './docker.ts';
import type { Release, RunningPod } from './release.ts';

/** An account of a running release with the actions of its clients. */
export interface Customer {
  readonly account: string;
  readonly readKey: string;
  readonly writeKey: string;
  // Returns the UUID of the import.
  importEmployees(count: number): Promise<string>;
  // Waits until the import ends. Throws unless it is applied.
  applied(importUuid: string): Promise<void>;
  read(path: string): Promise<unknown>;
  // Omits the body of responses other than 200, because it contains the request id.
  ask(path: string): Promise<{ path: string; status: number; body: unknown }>;
}

/** Returns any running pod of a component. */
export function podOf({ pods }: Release, component: string): RunningPod {
  const found = pods.find((one) => one.component === component);
  if (found === undefined) throw new Error(`cannot find a running ${component}`);
  return found;
}

/** Runs surveyctl in the toolbox, as an operator does. */
export function surveyctl(release: Release, ...args: string[]): Promise<string> {
  return docker('exec', podOf(release, 'ops-tools').id, 'surveyctl', ...args);
}

/** Creates an account with keys and connects its integration. */
export async function openCustomer(release: Release): Promise<Customer> {
  const json = async (...args: string[]): Promise<Record<string, unknown>> =>
    JSON.parse(await surveyctl(release, ...args, '--json'));
  const account = String((await json('account', 'create', '--name', 'First'))['account_id']);
  const readKey = String((await json('key', 'create', '--account', account, '--scope', 'read'))['key']);
  const writeKey = String((await json('key', 'create', '--account', account, '--scope', 'employees:write'))['key']);
  await surveyctl(release, 'integration', 'connect', '--account', account);
  const url = async (path: string): Promise<string> => `http://${await podOf(release, 'gateway').at(8080)}${path}`;
  const ask: Customer['ask'] = async (path) => {
    const response = await fetch(await url(path), { headers: { 'X-Api-Key': readKey } });
    const body: unknown = await response.json();
    return { path, status: response.status, body: response.ok ? body : undefined };
  };
  return {
    account,
    readKey,
    writeKey,
    importEmployees: async (count) => {
      const response = await fetch(await url('/v1/employees/imports'), {
        method: 'POST',
        headers: { 'X-Api-Key': writeKey, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
        body: JSON.stringify({ employees: records(1, count) }),
      });
      const body = await response.text();
      expect({ status: response.status, body }).toMatchObject({ status: 202 });
      return z.object({ import_uuid: z.string() }).parse(JSON.parse(body)).import_uuid;
    },
    // The exit code is 0 only for applied imports.
    applied: async (uuid) => void (await surveyctl(release, 'import', 'watch', uuid, '--account', account)),
    ask,
    read: async (path) => {
      const response = await ask(path);
      expect(response).toMatchObject({ status: 200 });
      return response.body;
    },
  };
}

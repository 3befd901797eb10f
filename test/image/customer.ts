import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { records } from '../support/records.ts';
import { docker } from './docker.ts';
import type { Release, RunningPod } from './release.ts';

/** An account of a running release, and what is done with it. */
export interface Customer {
  readonly account: string;
  readonly readKey: string;
  readonly writeKey: string;
  // Answers with the import's uuid.
  importPeople(people: number): Promise<string>;
  // Waits until the import has ended. Throws unless it was applied.
  applied(importUuid: string): Promise<void>;
  read(path: string): Promise<unknown>;
  // The body is left out of what is not 200: it names the request.
  ask(path: string): Promise<{ path: string; status: number; body: unknown }>;
}

/** Some pod of a component that runs. */
export function podOf({ pods }: Release, component: string): RunningPod {
  const found = pods.find((one) => one.component === component);
  if (found === undefined) throw new Error(`no ${component} runs`);
  return found;
}

/** In the toolbox, as an operator. */
export function surveyctl(release: Release, ...args: string[]): Promise<string> {
  return docker('exec', podOf(release, 'ops-tools').id, 'surveyctl', ...args);
}

/** Makes an account with keys, and connects its integration. */
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
    importPeople: async (people) => {
      const response = await fetch(await url('/v1/employees/imports'), {
        method: 'POST',
        headers: { 'X-Api-Key': writeKey, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
        body: JSON.stringify({ employees: records(1, people) }),
      });
      const body = await response.text();
      expect({ status: response.status, body }).toMatchObject({ status: 202 });
      return z.object({ import_uuid: z.string() }).parse(JSON.parse(body)).import_uuid;
    },
    // Its exit code is 0 for that state alone.
    applied: async (uuid) => void (await surveyctl(release, 'import', 'watch', uuid, '--account', account)),
    ask,
    read: async (path) => {
      const answer = await ask(path);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body;
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { SurveyClient } from '@survey/client';
import type { OrganisationSize } from '@survey/demo-data/organisation.ts';
import { workforce, type EmployeeRecord } from '@survey/demo-data/workforce.ts';
import { createDemoAccount, setSettings } from './demo-account.ts';
import { loadDemoDataset } from './demo-dataset.ts';
import { importNights } from './demo-nights.ts';
import type { Demo } from './stack-file.ts';
import type { Progress } from './store.ts';

export const DEMO_SIZE: OrganisationSize = { employees: 3_000, months: 12, seed: 20_261_120 };
const IMPORT_TIMEOUT_MS = 120_000;

interface DemoOptions {
  readonly gatewayUrl: string;
  readonly accountAdminAddress: string;
  readonly natsUrl: string;
  // URL of the owner of the tables; absent: one import instead of two weeks of them.
  readonly databaseUrl?: string;
  readonly log: Progress;
}

/**
 * Creates an account: its workforce is imported through the public endpoint, all other data over
 * the bus.
 */
export async function createDemo(options: DemoOptions): Promise<Demo> {
  const { gatewayUrl, accountAdminAddress, databaseUrl, log } = options;
  log('creating the demo account');
  const demo = await createDemoAccount(accountAdminAddress);
  await setSettings(accountAdminAddress, demo, '--masking-entitled', 'true', '--masking', 'on');
  const client = new SurveyClient({ baseUrl: gatewayUrl, apiKey: demo.write_key });
  const people = [...workforce(DEMO_SIZE)];
  log(`importing ${people.length} employees through POST /v1/employees/imports${databaseUrl ? ', two weeks of nights' : ''}`);
  if (databaseUrl === undefined) await client.importEmployees(people);
  else await importNights(people, { client, databaseUrl, accountId: demo.account_id });
  await untilImported(gatewayUrl, demo, log);
  await loadSurveys(demo, options);
  // Later than the demo's own topics, or there would be the starter topics as well.
  await setSettings(accountAdminAddress, demo, '--categorisation', 'on');
  return demo;
}

// Without surveys the demo is smaller but still works.
async function loadSurveys({ account_id: accountId }: Demo, { accountAdminAddress, natsUrl, log }: DemoOptions): Promise<void> {
  log(`loading ${DEMO_SIZE.months} months of surveys, responses and initiatives`);
  try {
    const lines = await loadDemoDataset(DEMO_SIZE, { accountId, accountAdminAddress, natsUrl });
    log(`loaded ${lines} facts`);
  } catch (error) {
    log(`the demo's surveys are not complete: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function untilImported(gatewayUrl: string, demo: Demo, log: Progress): Promise<void> {
  const deadline = performance.now() + IMPORT_TIMEOUT_MS;
  for (let reportedAt = performance.now(); ;) {
    const count = await countEmployees(gatewayUrl, demo.read_key);
    if (count === DEMO_SIZE.employees) return;
    if (performance.now() > deadline)
      throw new Error(`the demo import is incomplete: ${count ?? 'no'} employees of ${DEMO_SIZE.employees}`);
    if (performance.now() - reportedAt > 2_000) {
      log('the import is being reconciled');
      reportedAt = performance.now();
    }
    await sleep(100);
  }
}

/**
 * Returns whether the account of an earlier start still exists: the database may have been
 * replaced.
 */
export async function demoStillThere(gatewayUrl: string, demo: Demo): Promise<boolean> {
  return (await countEmployees(gatewayUrl, demo.read_key)) !== undefined;
}

/**
 * Returns a request body for a first import: everybody in the demo account and one new employee,
 * because employees that a snapshot omits are offboarded.
 */
export function sampleSnapshot(): string {
  const people = [...workforce(DEMO_SIZE)];
  const newcomer: EmployeeRecord = {
    import_id: 'NEW-1',
    email: 'new.colleague@example.com',
    firstname: 'New',
    lastname: 'Colleague',
    language: 'en',
    reports_to_id: people[1]?.import_id ?? null,
    role: 'Respondee',
    attributes: [{ name: 'Department', value: { name: 'Engineering' } }],
  };
  const lines = [newcomer, ...people].map((person) => JSON.stringify(person));
  return `{"employees":[\n${lines.join(',\n')}\n]}\n`;
}

// Returns undefined when the key is unknown or the gateway fails.
async function countEmployees(baseUrl: string, apiKey: string): Promise<number | undefined> {
  const { total_count } = await new SurveyClient({ baseUrl, apiKey })
    .employees()
    .page(0)
    .catch(() => ({ total_count: undefined }));
  return total_count;
}

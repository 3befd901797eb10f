import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SurveyClient } from '@survey/client';
import { workforce, type EmployeeRecord } from '@survey/demo-data/workforce.ts';
import { DEMO_SIZE } from '@survey/local/demo.ts';
import { readStack } from '@survey/local/stack-file.ts';
import { Pool } from 'pg';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from './support/chromium.ts';

// Takes the screenshots of docs/console.md from a running stack: npm start -- --reset, and then
//   node deploy/local/run.mjs test/console-screenshots.ts
// Imports into the demo account and backdates those imports.
const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const STACK = fileURLToPath(new URL('../.local/stack.json', import.meta.url));
const NIGHTS = 13;
const IMPORT_TIMEOUT_MS = 60_000;
// Omitted from the last import, which the deletion threshold therefore cancels.
const LEFT_OUT = new Set(['Germany', 'Austria']);

const people = [...workforce(DEMO_SIZE)];

/**
 * Returns the workforce of an earlier night: some employees missing, some in another department.
 */
function night(ago: number): EmployeeRecord[] {
  const there = people.filter((_, index) => index % 97 !== ago || index === 0);
  return there.map((person, index) => (index % 61 === ago ? { ...person, lastname: `${person.lastname}-${ago}` } : person));
}

const withFaults = (all: readonly EmployeeRecord[]): EmployeeRecord[] =>
  all.map((person, index) => {
    const [attribute] = person.attributes;
    if (index === 20) return { ...person, role: 'Boss' as EmployeeRecord['role'] };
    if (index === 40 && attribute !== undefined) return { ...person, attributes: [...person.attributes, attribute] };
    return index === 60 ? { ...person, email: all[61]?.email ?? '' } : person;
  });

const countryOf = ({ attributes }: EmployeeRecord): string => attributes.find(({ name }) => name === 'Country')?.value.name ?? '';

async function importHistory(): Promise<string> {
  const stack = await readStack(STACK);
  if (stack?.demo === undefined || stack.console_url === undefined)
    throw new Error('cannot take screenshots: run npm start first');
  const client = new SurveyClient({ baseUrl: stack.gateway_url, apiKey: stack.demo.write_key });
  const db = new Pool({ connectionString: stack.database_url, max: 1 });
  const idle = async (): Promise<void> => {
    const deadline = Date.now() + IMPORT_TIMEOUT_MS;
    for (;;) {
      if (Date.now() > deadline) throw new Error(`the import has not ended after ${IMPORT_TIMEOUT_MS} ms`);
      const { rowCount } = await db.query('select from imports.import where finished_at is null');
      if (rowCount === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await idle();
  for (let ago = NIGHTS; ago >= 0; ago -= 1) {
    const snapshot = ago === 0 ? people.filter((person, index) => index === 0 || !LEFT_OUT.has(countryOf(person))) : night(ago);
    await client.importEmployees(() => (ago === 1 ? withFaults(snapshot) : snapshot));
    await idle();
  }
  await db.query(
    `update imports.import i set accepted_at = i.accepted_at - n.ago * interval '1 day', finished_at = i.finished_at - n.ago * interval '1 day'
     from (select import_uuid, row_number() over (order by accepted_at desc) - 1 as ago from imports.import) n where n.import_uuid = i.import_uuid`,
  );
  await db.end();
  return stack.console_url;
}

const PAGES = ['overview', 'import', 'cancelled'] as const;

async function takeAll(browser: Browser, url: string): Promise<void> {
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale: 'en' });
    const page = await context.newPage();
    await page.goto(`${url}/sign-in`);
    await page.click('button[value=demo-admin]');
    await page.waitForURL(/\/a\/\d+\/$/);
    const home = page.url();
    for (const name of PAGES) {
      await goTo(page, home, name);
      await page.screenshot({
        path: `${IMAGES}console-${name}-${width}-${colorScheme}.png`,
      });
    }
    await context.close();
  }
}

async function goTo(page: Page, home: string, name: (typeof PAGES)[number]): Promise<void> {
  if (name === 'overview') return void (await page.goto(home));
  await page.goto(
    `${home}imports?state=${name === 'cancelled' ? 'cancelled' : 'applied'}${name === 'import' ? '&skipped=1' : ''}`,
  );
  await page.click('tbody th a');
}

const executablePath = await findChromium();
if (executablePath === undefined) throw new Error('cannot take screenshots: there is no Chromium, name one by CHROMIUM');
await mkdir(IMAGES, { recursive: true });
const url = await importHistory();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
await takeAll(browser, url);
await browser.close();

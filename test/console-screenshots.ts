import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SurveyClient } from '@survey/client';
import { workforce, type EmployeeRecord } from '@survey/demo-data/workforce.ts';
import { importSnapshots } from '@survey/local/demo-nights.ts';
import { DEMO_SIZE } from '@survey/local/demo.ts';
import { readStack } from '@survey/local/stack-file.ts';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from './support/chromium.ts';

// Takes the screenshots of docs/console.md from a running stack: npm start -- --reset, and then
//   node deploy/local/run.mjs test/console-screenshots.ts
// Adds two nights to the demo account: one with faults, and one that the threshold cancels.
const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const STACK = fileURLToPath(new URL('../.local/stack.json', import.meta.url));
// Omitted from the last import.
const LEFT_OUT = new Set(['Germany', 'Austria']);

const people = [...workforce(DEMO_SIZE)];

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
  const { demo, gateway_url: baseUrl, database_url: databaseUrl } = stack;
  const remaining = people.filter((person, index) => index === 0 || !LEFT_OUT.has(countryOf(person)));
  await importSnapshots([() => withFaults(people), () => remaining], {
    client: new SurveyClient({ baseUrl, apiKey: demo.write_key }),
    databaseUrl,
    accountId: demo.account_id,
  });
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

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findChromium } from '../support/chromium.ts';
import { shareStack } from '../support/file-stack.ts';
import { records } from '../support/records.ts';

// The API reference at /docs in Chromium.
const { stack, operator, importAndWait } = await shareStack();
const url = `http://${stack.services.gateway.address}/docs`;
const executablePath = await findChromium();
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const violations = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

describe.skipIf(executablePath === undefined)('/docs in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  async function open(width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    return { page, complaints };
  }

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('is accessible and does not scroll sideways at %i px, %s', async (width, scheme) => {
    const { page, complaints } = await open(width, scheme);
    await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await page.evaluate(axeSource);
    // A scheme changes colours only.
    const options = { resultTypes: ['violations'], ...(scheme === 'dark' && { runOnly: ['color-contrast'] }) };
    const found = violations.parse(await page.evaluate(`axe.run(${JSON.stringify(options)})`)).violations;
    expect(found.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shows only what contains the words of the search, parameters and errors included', async () => {
    const { page } = await open(1280);
    await page.getByLabel('Search').fill('eNPS period_from');
    await expect.poll(() => page.locator('form:visible h2').allInnerTexts()).toEqual(['Get a score']);
    await page.getByLabel('Search').fill('idempotency-mismatch');
    await expect.poll(() => page.locator('[data-entry]:visible').count()).toBe(1);
    expect(await page.locator('#problem-idempotency-mismatch').isVisible()).toBe(true);
    await page.getByLabel('Search').fill('without-match');
    await expect.poll(() => page.getByText('Nothing found').isVisible()).toBe(true);
    expect(await page.locator('[data-entry]:visible, nav :visible').count()).toBe(0);
    // A link leads to what the search hides.
    await page.evaluate("location.hash = '#listEmployees'");
    await expect.poll(() => page.locator('#listEmployees').isVisible()).toBe(true);
    expect(await page.getByLabel('Search').inputValue()).toBe('');
  });

  it('sends a request with a key that a reload deletes', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 3));
    const { page, complaints } = await open(1280);
    await page.getByLabel('API key').fill(account.readKey);
    const section = page.locator('#listEmployees');
    await section.getByLabel('limit').fill('2');
    await section.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => section.getByText(/^Response: 200 OK, \d+ ms$/).count()).toBe(1);
    expect(await section.getByLabel('Response of').innerText()).toMatch(/^\{\n {2}"total_count": 3/);
    await section.getByText('Headers', { exact: true }).click();
    expect(await section.locator('.panel details').innerText()).toMatch(/etag: "/);
    expect(complaints).toEqual([]);
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
    await page.reload();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
  });

  it('shows the request that is filled in as curl, TypeScript and Python', async () => {
    const { page } = await open(1280);
    const section = page.locator('#listSurveys');
    await section.getByLabel('is_archived').fill('true');
    await section.getByLabel('limit').fill('5');
    const shown = () => section.locator('[data-lang]:visible').innerText();
    expect(await shown()).toContain(
      '/v1/surveys \\\n  -H "X-Api-Key: $SURVEY_KEY" \\\n  --get \\\n  --data-urlencode \'limit=5\'',
    );
    await page.getByLabel('Code in').selectOption('TypeScript');
    expect(await shown()).toContain('client.surveys({\n  is_archived: true,\n}).toArray()');
    await page.getByLabel('Code in').selectOption('Python');
    expect(await shown()).toContain('list(client.surveys(is_archived=True))');
  });

  it('keeps its side list in view and has request and response beside the text at 1280 px', async () => {
    const { page } = await open(1280);
    await page.goto(`${url}#getScore`);
    const [nav, text, code] = await Promise.all(
      ['.side', '#getScore .text', '#getScore .code'].map((place) => page.locator(place).boundingBox()),
    );
    expect(nav).toMatchObject({ x: 0, y: 0 });
    expect(code?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? 0));
    await expect.poll(() => page.locator('nav [aria-current]').innerText()).toContain('score');
  });

  it('has the colours of the console', async () => {
    const [console, reference] = await Promise.all(
      ['console/assets/console.css', 'gateway/src/openapi/page.css'].map((file) =>
        readFile(new URL(`../../services/${file}`, import.meta.url), 'utf8'),
      ),
    );
    const tokens = [...(reference ?? '').matchAll(/^ +--.*;$/gm)].map(([line]) => line.trim());
    expect(tokens.length).toBeGreaterThan(20);
    for (const token of tokens) expect(console).toContain(token);
  });

  it('is at most 40 KB compressed', async () => {
    const response = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(Number(response.headers.get('content-length'))).toBeLessThanOrEqual(40_000);
  });
});

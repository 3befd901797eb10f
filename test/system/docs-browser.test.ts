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
    const found = violations.parse(await page.evaluate('axe.run()')).violations;
    expect(found.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shows only the sections that contain the words of the search', async () => {
    const { page } = await open(1280);
    await page.getByLabel('Search').fill('eNPS period_from');
    await expect.poll(() => page.locator('main section:visible h3').allInnerTexts()).toContain('GET /v1/scores');
    expect(await page.locator('#listEmployees').isVisible()).toBe(false);
    await page.getByLabel('Search').fill('');
    expect(await page.locator('#listEmployees').isVisible()).toBe(true);
  });

  it('sends a request with a key that a reload deletes', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 3));
    const { page, complaints } = await open(1280);
    await page.getByLabel('API key').fill(account.readKey);
    const section = page.locator('#listEmployees');
    await section.getByText('Send a request').click();
    await section.getByLabel('limit').fill('2');
    await section.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => section.getByLabel('Response of').innerText()).toMatch(/^200 OK[^]*"total_count": 3/);
    expect(complaints).toEqual([]);
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
    await page.reload();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
  });

  it('has examples for curl, TypeScript and Python', async () => {
    const { page } = await open(1280);
    const labels = await page.locator('#getScore details summary').allInnerTexts();
    expect(labels).toEqual(['curl', 'TypeScript', 'Python', 'Send a request']);
  });

  it('is below 100 KB compressed', async () => {
    const response = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(Number(response.headers.get('content-length'))).toBeLessThan(100_000);
  });
});

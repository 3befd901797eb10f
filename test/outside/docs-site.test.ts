import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { findChromium } from '../support/chromium.ts';
import { run } from './project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SITE = join(ROOT, '.local/site');
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const executablePath = findChromium();
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const violations = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

describe.skipIf(inject('missing') !== undefined || executablePath === undefined)('the documentation site', () => {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://x').pathname;
    const file = join(SITE, name.endsWith('/') ? `${name}index.html` : name);
    response.setHeader('Content-Type', TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
    response.setHeader('Content-Encoding', 'gzip');
    createReadStream(file)
      .once('error', () => response.writeHead(404).end())
      .pipe(createGzip())
      .pipe(response);
  });
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    // VitePress fails on a link without a page.
    await run(join(ROOT, 'node_modules/.bin/vitepress'), ['build', 'docs'], { cwd: ROOT });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
  }, 300_000);
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const PAGES = ['/', '/concepts.html', '/guides/consume-events.html', '/reference/surveyctl.html', '/runbooks/'];
  const cases = PAGES.map((path, index) => ({ path, width: index % 2 === 0 ? 390 : 1280 }));
  it.each(cases)('serves $path from its own files, below 500 KB, at $width px', async ({ path, width }) => {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const hosts = new Set<string>();
    let bytes = 0;
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    page.on('requestfinished', async (request) => (bytes += (await request.sizes()).responseBodySize));
    await page.goto(`${url}${path}`, { waitUntil: 'networkidle' });
    expect(await page.title()).toContain('Employee engagement survey service');
    expect([...hosts]).toEqual([url]);
    expect(bytes).toBeLessThan(500_000);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await page.evaluate(axeSource);
    const found = violations.parse(await page.evaluate('axe.run()')).violations;
    expect(found.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  });

  it('renders diagrams and generates the references', async () => {
    const read = (name: string): Promise<string> => readFile(join(SITE, name), 'utf8');
    expect(await read('architecture.html')).toMatch(/class="diagram"[^]*<svg/);
    expect(await read('reference/surveyctl.html')).toContain('account create');
    expect(await read('reference/messages.html')).toContain('events.import.applied');
    expect(await read('reference/alerts.html')).toContain('release_decisions_total');
    expect(await read('reference/chart.html')).toContain('tests.resources.cpuLimit');
  });

  it('finds a word of a page by its search', async () => {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('ce-sequence');
    await expect.poll(() => page.locator('.result').first().innerText()).toContain('Events');
  });
});

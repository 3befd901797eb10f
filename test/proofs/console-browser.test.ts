import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { routeTable } from '@survey/console/routes.ts';
import { findChromium } from '../support/chromium.ts';
import { API_URL, startTestConsole } from '../support/console.ts';
import { startFileStack } from '../support/file-stack.ts';
import { uuidOf } from '../support/facts.ts';
import { R, records } from '../support/records.ts';
import { openTextFixture, textResponses } from '../support/text-fixture.ts';
import { decision, topicFact } from '../support/topics.ts';

// The web console in Chromium: accessible, nothing cut off, no CSP violation, usable with and
// without script.
const files = await startFileStack();
const { stack, api, operator, db, importAndWait } = files;
const { fixture, state } = await openTextFixture(files);
const web = await startTestConsole(stack, operator);
afterAll(() => web[Symbol.asyncDispose]());

const executablePath = await findChromium();
// Folder for images of all pages, in both languages and colour schemes; empty: none.
const SCREENSHOTS = process.env['SCREENSHOTS'] || undefined;
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const violations = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

const ADMIN = { id: 'admin', name: 'Admin', email: 'admin@x.io' };
const site = (name: string) => ({ attributes: [{ name: 'Location', value: { name } }] });
// The longest, a right-to-left and a one-letter word that a customer may use.
const LONG = 'Krankenversicherungsgesellschaft'.repeat(3);
const WORDS = [LONG, 'מחלקת שירות לקוחות', 'X'];
const words = WORDS.map((name) => ({ name, value: { name: `${name}${name}` } }));
const staff = [
  R(0, { email: ADMIN.email, role: 'Admin', attributes: [...site('Hamburg').attributes, ...words] }),
  ...records(1, 5),
  ...[6, 7, 8, 9].map((n) => R(n, site('Lyon'))),
];

let browser: Browser;
let accountId: number;
let applied: string;
let cancelled: string;
let topic: string;

beforeAll(async () => {
  if (executablePath === undefined) return;
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const account = await fixture();
  accountId = account.accountId;
  await state(account, 'topic', topicFact('Pay'), topicFact('Canteen'), ...WORDS.map((word) => topicFact(word)));
  await state(account, 'response', ...textResponses(4));
  await state(account, 'topic_assignment', ...[1, 2, 3, 4].map((n) => decision(uuidOf(n), 'Pay')));
  await web.bind(accountId);
  const email = 'a.new.colleague.with.a.long.name@subsidiary.example.com';
  await operator.admin.inviteAdmin({ account_id: accountId, email }, AS_OPERATOR);
  await operator.admin.addNoticeAddress({ account_id: accountId, email, language: 'de' }, AS_OPERATOR);
  const people = [...staff.slice(0, -1), R(9, { role: 'Boss', ...site('Lyon') })];
  await importAndWait(account, staff);
  await operator.admin.releaseAttribute({ account_id: accountId, name: 'Location' }, AS_OPERATOR);
  applied = (await importAndWait(account, people)).importUuid;
  cancelled = (await importAndWait(account, staff.slice(0, 6))).importUuid;
  await db.query(
    `insert into scoring.settled_cycle (account_id, id, survey_id, opened_us, closed_us, judged_thresholds, released, too_few, late)
     select $1, gen_random_uuid(), 7, n * 2592000e6 - 1, n * 2592000e6, '', 30 - n, n, n % 4 from generate_series(1, 12) n`,
    [accountId],
  );
  // The provider knows the user from now on.
  const client = await web.signIn(ADMIN);
  topic = /\/topics\/(\d+)">Pay</.exec((await client.get(`/a/${accountId}/topics`)).text)?.[1] ?? '';
});
afterAll(() => browser?.close());

interface Opened extends AsyncDisposable {
  readonly page: Page;
  // Browser errors, such as a blocked style.
  readonly complaints: string[];
}

async function open(options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

async function signIn(page: Page, { url }: { url: string } = web): Promise<void> {
  await page.goto(`${url}/sign-in`);
  await page.click('button[value=admins]');
  // Without script the page continues by a Refresh header and a link.
  await page.waitForURL(/choose/);
  await page.click('a[href="?as=admin"]');
  await page.waitForURL(/\/a\/\d+\/$/);
}

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    if ((await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`)) === true) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`cannot reach ${selector} by keyboard`);
}

const pathOf = (path: string): string => `/a/${accountId}${path}`;
const at = (path: string): string => `${web.url}${pathOf(path)}`;
// Routes of the account's pages: no download, and no part of a page.
const PAGES = routeTable
  .filter(({ method, path }) => method === 'get' && path.startsWith('/a/:account/') && !/\.csv$|\/progress$/.test(path))
  .map(({ path }) => path.slice('/a/:account'.length));
const pageOf = (href: string): string | undefined => {
  const path = href.startsWith(pathOf('/')) ? href.slice(pathOf('').length).replace(/[?#].*/, '') : undefined;
  const isMatch = (page: string): boolean => new RegExp(`^${page.replaceAll(/:\w+/g, '[^/]+')}$`).test(path ?? '');
  return PAGES.find((page) => page === path) ?? PAGES.find(isMatch);
};

/** Sends a file as a dry run, and returns the path of the result. */
async function dryRun(page: Page): Promise<string> {
  await page.goto(at('/dry-run'));
  const buffer = Buffer.from(JSON.stringify({ employees: [R(1), R(2, { role: 'Boss' })] }));
  await page.setInputFiles('input[type=file]', { name: 'snapshot.json', mimeType: 'application/json', buffer });
  await page.click('form[action$="/dry-run"] button');
  await page.waitForURL(/\/dry-run\/[^/]+$/);
  return new URL(page.url()).pathname;
}

/** Returns what is wider than its box at four widths, also of 200 % zoom, and on paper. */
async function cutOff(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of [320, 390, 1280, 640, 644]) {
    await page.setViewportSize({ width, height: 900 });
    // Paper in portrait.
    await page.emulateMedia({ media: width === 644 ? 'print' : 'screen' });
    const wider = await page.evaluate(
      `[document.documentElement, ...document.querySelectorAll('.tw, .acct, .btn, .panel')].filter((e) => e.offsetParent !== null && e.scrollWidth > e.clientWidth + 1 || e.matches('html') && e.scrollWidth > e.clientWidth).map((e) => e.className || e.tagName)`,
    );
    if (Array.isArray(wider) && wider.length > 0) found.push(`${name}: too wide at ${width}: ${wider.join(', ')}`);
  }
  // Also the width between a phone's and a desktop's at which the next page is looked at.
  await page.emulateMedia({ media: 'screen' });
  return found;
}

/** Returns what axe finds in both colour schemes, and what is cut off at three widths. */
async function findingsOf(page: Page, name: string, locale: string): Promise<string[]> {
  const found: string[] = [];
  const runAxe = async (options: object): Promise<void> => {
    const all = JSON.stringify({ resultTypes: ['violations'], preload: false, ...options });
    const result = violations.parse(await page.evaluate(`axe.run(${all})`));
    for (const { id, nodes } of result.violations) found.push(`${name}: ${id}: ${nodes[0]?.html.slice(0, 200) ?? ''}`);
  };
  await page.evaluate(axeSource);
  // A scheme changes colours only, and no colour depends on the language.
  const isColourChecked = locale === 'en';
  await runAxe({ rules: { 'color-contrast': { enabled: isColourChecked } } });
  found.push(...(await cutOff(page, name)));
  await page.emulateMedia({ colorScheme: 'dark' });
  if (isColourChecked) await runAxe({ runOnly: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: 'light' });
  if (SCREENSHOTS !== undefined) await takeScreenshots(page, `${SCREENSHOTS}/${locale}${name.replaceAll(/[^a-z]+/g, '-')}`);
  return found;
}

async function takeScreenshots(page: Page, path: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${path}-${colorScheme}-${width}.png`, fullPage: true });
    }
  }
}

const LINKS = "[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))";

describe.skipIf(executablePath === undefined)('in Chromium', () => {
  it.each(['en', 'de'])(
    'finds nothing with axe on any page and nothing cut off, in %s',
    async (locale) => {
      await using opened = await open({ locale, viewport: { width: 1280, height: 900 } });
      const { page, complaints } = opened;
      const found: string[] = [];
      const visit = async (path: string): Promise<void> => {
        await page.goto(new URL(path, web.url).href);
        found.push(...(await findingsOf(page, path, locale)));
      };
      for (const path of ['/sign-in', '/help', '/privacy', '/mail/1/1/confirm/token', '/mail/1/1/stop/token']) await visit(path);
      await signIn(page);
      await visit('/accounts');
      const waiting = [await dryRun(page), ...['/', `/imports/${applied}`, `/imports/${cancelled}`, '/nowhere'].map(pathOf)];
      const seen = new Set(waiting.map(pageOf));
      // Every page that a link of another one leads to, one of each kind.
      for (const path of waiting) {
        await visit(path);
        for (const href of z.array(z.string()).parse(await page.evaluate(LINKS))) {
          const kind = pageOf(href);
          if (kind === undefined || seen.has(kind)) continue;
          seen.add(kind);
          waiting.push(href);
        }
      }
      expect(PAGES.filter((kind) => !seen.has(kind))).toEqual([]);
      expect(found).toEqual([]);
      expect(complaints).toEqual([]);
    },
    300_000,
  );

  it.each([true, false])(
    'names what is not saved yet, with javaScriptEnabled: %s',
    async (javaScriptEnabled) => {
      await using opened = await open({ locale: 'en', javaScriptEnabled });
      const { page, complaints } = opened;
      await signIn(page);
      await page.goto(at('/settings'));
      const save = page.locator('form[action$="/settings"] .foot');
      const asked: string[] = [];
      page.on('dialog', (dialog) => {
        asked.push(dialog.type());
        void dialog.dismiss();
      });
      expect(await save.isVisible()).toBe(!javaScriptEnabled);
      await page.uncheck('input[name=kind][value=late]');
      await page.selectOption('#schedule', 'weekly');
      const names = await save.locator('b').allInnerTexts();
      expect(names).toEqual(javaScriptEnabled ? ['Not saved yet: Mails are sent when, Snapshots are expected'] : []);
      await page.check('input[name=kind][value=late]');
      await page.selectOption('#schedule', 'learned');
      expect(await save.isVisible()).toBe(!javaScriptEnabled);
      await page.selectOption('#schedule', 'weekly');
      await page.click('header nav >> text=Audit log');
      await page.waitForURL(javaScriptEnabled ? /settings$/ : /audit$/);
      expect(asked).toEqual(javaScriptEnabled ? ['beforeunload'] : []);
      if (!javaScriptEnabled) await page.goBack();
      await save.locator('button').click();
      await page.waitForURL(/done=saved/);
      expect(await page.locator('#schedule').inputValue()).toBe('weekly');
      await page.goto(at('/help?q=threshold'));
      expect(await page.locator('main section').count()).toBe(1);
      expect(complaints).toEqual([]);
    },
    60_000,
  );

  it.each([true, false])(
    'creates a key and allows a cancelled import, with javaScriptEnabled: %s',
    async (javaScriptEnabled) => {
      await using opened = await open({ locale: 'en', javaScriptEnabled });
      const { page, complaints } = opened;
      await signIn(page);
      await page.click('header nav >> text=API keys');
      await page.fill('#name', `Power BI ${javaScriptEnabled}`);
      await page.check('[name=scope][value=read]');
      await page.click('section#new button');
      const key = await page.locator('output').innerText();
      expect(await api.get('/v1/employees?limit=1', key)).toMatchObject({ status: 200 });
      for (const copy of await page.locator('button[data-copy]').all()) expect(await copy.isVisible()).toBe(javaScriptEnabled);
      expect(await page.locator('#command').innerText()).toBe(
        `curl --header 'X-Api-Key: ${key}' '${API_URL}/v1/employees?limit=1'`,
      );
      await page.click('text=Back to all keys');
      expect(await page.content()).not.toContain(key);
      await page.goto(at('/'));
      await page.click('text=Review the import');
      await page.fill('#confirm', '3');
      await page.fill('#reason', 'site sold');
      await page.click('.danger.fill');
      await page.waitForSelector('[aria-invalid=true]');
      expect(await page.locator('[role=alert]').first().innerText()).toContain('check these fields');
      expect(await page.locator('#reason').inputValue()).toBe('site sold');
      expect(complaints).toEqual([]);
    },
    60_000,
  );

  it('shows times of the zone of the browser once a page has run its script, and of UTC beside them', async () => {
    await using opened = await open({ locale: 'en', timezoneId: 'America/New_York' });
    const { page, complaints } = opened;
    await signIn(page);
    await page.goto(at(`/imports/${applied}`));
    expect(await page.locator('h1').innerText()).toMatch(/GMT-[45]$/);
    expect(await page.content()).toMatch(/\d UTC/);
    expect(complaints).toEqual([]);
  });

  it('shows nothing of the account to whoever goes back after the sign-out, and takes no form of another tab', async () => {
    await using opened = await open({ locale: 'en' });
    const { page } = opened;
    await signIn(page);
    await page.goto(at('/keys'));
    const form = await page.context().newPage();
    await form.goto(at('/topics'));
    await page.click('.side >> text="Sign out"');
    // The provider asks whether to sign out there as well.
    await page.waitForURL(/session\/end/);
    for (let steps = 0; steps < 3 && !page.url().includes('/sign-in'); steps += 1) await page.goBack();
    await page.waitForURL(/sign-in/);
    expect(await page.content()).not.toContain('eng_live_');
    await form.fill('#name', 'Too late');
    await form.click('.primary');
    await form.waitForURL(/sign-in/);
    // The provider still knows the user.
    await page.click('button[value=admins]');
    await page.waitForURL(/\/a\/\d+\//);
    await page.goto(at('/topics'));
    expect(await page.content()).not.toContain('Too late');
  });

  it('filters records while one types, without loading the page', async () => {
    await using opened = await open({ locale: 'en' });
    const { page, complaints } = opened;
    await signIn(page);
    await page.goto(at(`/imports/${applied}`));
    await page.fill('#q', 'no such employee');
    await page.waitForSelector('#records >> text=No records');
    await page.waitForURL(/q=no(\+|%20)such/);
    expect(complaints).toEqual([]);
  });

  it('warns before the session ends and keeps what was typed when it is extended', async () => {
    await using short = await startTestConsole(stack, operator, { SESSION_IDLE_MINUTES: '1' });
    const account = await operator.createAccount();
    await short.bind(account.accountId);
    await importAndWait(account, [R(0, { email: ADMIN.email, role: 'Admin' })]);
    await short.signIn(ADMIN);
    await using opened = await open({ locale: 'en' });
    const { page, complaints } = opened;
    await signIn(page, short);
    await page.goto(`${short.url}/a/${account.accountId}/keys`);
    await page.fill('#name', 'Power BI');
    await page.waitForSelector('#session .note:visible >> text=You will be signed out at');
    const extended = page.waitForResponse(/\/session$/);
    await page.click('text=Stay signed in');
    expect((await extended).status()).toBe(200);
    expect(await page.locator('#name').inputValue()).toBe('Power BI');
    expect(complaints).toEqual([]);
  });

  it('leads to ten usual tasks by keyboard alone, within two links of the overview', async () => {
    await using opened = await open({ locale: 'en' });
    const { page, complaints } = opened;
    await signIn(page);
    const side = (path: string): string => `.side nav a[href$="${path}"]`;
    const toTopic = [side('/topics'), `main a[href$="/topics/${topic}"]`];
    // By task: links, the control that it begins with, the keys pressed there, and what is shown.
    const tasks: Readonly<Record<string, readonly [readonly string[], string, string, string]>> = {
      'what happened last night': [[], '.status a.primary', '', 'h1:text("The last import needs your decision")'],
      'why it was cancelled, and allow it': [['.status a.primary'], '#confirm', '4', 'text=The deletion threshold is 20%'],
      'who was skipped and why': [
        [side('/imports'), `a[href$="/imports/${applied}"]`],
        '#q',
        'E9',
        'td:has-text("The role must be")',
      ],
      'a key that sees scores only': [[side('/keys')], '[name=scope]', 'ArrowDown', '[value="read:scores"]:checked'],
      'what a file would do': [[side('/dry-run')], '[type=file]', '', 'form[action$="/dry-run"]'],
      'rename a topic': [toTopic, '#name', 'Salary', 'text=Not saved yet: Name'],
      'which keyword finds these texts': [toTopic, '#words', 'text', 'button[value=try]'],
      'turn masking on': [[side('/settings')], '[name=masking]', 'ArrowUp', '[name=masking][value=on]:checked'],
      'who changed the threshold': [[side('/audit')], '#actor', 'operator', 'td:has-text("deletion threshold: 20%")'],
      'sign out everywhere': [[], '.side [action="/sign-out/everywhere"] button', '', '.side'],
    };
    const found: string[] = [];
    page.on('dialog', (dialog) => void dialog.accept());
    for (const [task, [links, control, keys, shown]] of Object.entries(tasks)) {
      await page.goto(at('/'));
      for (const link of links) {
        await tabTo(page, link);
        await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')]);
      }
      await tabTo(page, control);
      await (keys.startsWith('Arrow') ? page.keyboard.press(keys) : page.keyboard.type(keys));
      await page.locator(shown).first().waitFor();
      found.push(task);
    }
    expect(found).toHaveLength(10);
    expect(complaints).toEqual([]);
  }, 60_000);

  it('reassigns a text, creates a key and allows a cancelled import by keyboard alone', async () => {
    await using opened = await open({ locale: 'en' });
    const { page, complaints } = opened;
    await signIn(page);
    await page.goto(at(`/topics/${topic}/answers`));
    await tabTo(page, 'input[name=answer]');
    await page.keyboard.press('Space');
    await tabTo(page, '#into');
    await page.keyboard.type('Canteen');
    await tabTo(page, 'button.primary');
    await page.keyboard.press('Enter');
    await page.waitForURL(/done=reassigned/);
    await page.goto(at('/keys'));
    await tabTo(page, '#name');
    await page.keyboard.type('Keyboard');
    await tabTo(page, '[name=scope]');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.waitForSelector('output');
    await tabTo(page, 'a.btn.primary');
    await page.keyboard.press('Enter');
    await page.waitForSelector('td >> text=never used');
    await page.goto(at(`/imports/${cancelled}`));
    await tabTo(page, '#confirm');
    await page.keyboard.type('4');
    await tabTo(page, '#reason');
    await page.keyboard.type('site sold');
    await page.keyboard.press('Enter');
    await page.waitForURL(/done=allowed/);
    expect(complaints).toEqual([]);
  });

  it('shows the current page, the focus and every state with forced colours', async () => {
    await using opened = await open({ locale: 'en', forcedColors: 'active' });
    const { page } = opened;
    await signIn(page);
    const styleOf = (selector: string, pseudo: string, names: readonly string[]) =>
      page.evaluate(
        `[...${JSON.stringify(names)}].map((name) => getComputedStyle(document.querySelector(${JSON.stringify(selector)}), ${JSON.stringify(pseudo)})[name])`,
      );
    expect(await styleOf('nav [aria-current]', '', ['borderLeftStyle', 'borderLeftWidth'])).toEqual(['solid', '3px']);
    const [mark, paper] = [
      await styleOf('.tag:not(.off)', '::before', ['backgroundColor']),
      await styleOf('body', '', ['backgroundColor']),
    ];
    expect(mark).not.toEqual(paper);
    await page.keyboard.press('Tab');
    expect(await styleOf(':focus', '', ['outlineStyle', 'outlineWidth'])).toEqual(['solid', '2px']);
    if (SCREENSHOTS !== undefined)
      for (const path of ['/', '/settings', '/guard', '/keys']) {
        await page.goto(at(path));
        await page.screenshot({ path: `${SCREENSHOTS}/forced${path.replaceAll('/', '-')}.png`, fullPage: true });
      }
  });

  it('puts a text and its box on one line', async () => {
    await using opened = await open();
    const { page } = opened;
    await signIn(page);
    await page.goto(at(`/topics/${topic}/answers`));
    const [text, box] = await Promise.all(
      ['.text', 'input[name=answer]'].map((part) => page.locator(part).first().boundingBox()),
    );
    if (text == null || box == null) throw new Error('expected a text with a box');
    const middle = ({ y, height }: { y: number; height: number }): number => y + height / 2;
    expect(Math.abs(middle(text) - middle(box))).toBeLessThan(4);
  });

  it('runs a dry run by keyboard alone, and shows focus and result', async () => {
    await using opened = await open({ locale: 'en' });
    const { page, complaints } = opened;
    await signIn(page);
    await page.goto(at('/dry-run'));
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await page.setInputFiles('input[type=file]', {
      name: 'snapshot.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify({ employees: staff })),
    });
    expect(await page.locator('#file-name').innerText()).toBe('snapshot.json');
    await page.focus('input[type=file]');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/dry-run\/[0-9a-f-]{36}/);
    expect(await page.locator('h1').innerText()).toContain('snapshot.json');
    expect(await page.evaluate("document.activeElement.classList.contains('note')")).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('cuts nothing off with the longest words, keeps the menu, and prints the whole width', async () => {
    const long = `Krankenversicherungsgesellschaft ${'Donaudampfschifffahrt'.repeat(4)}`;
    await using opened = await open({ locale: 'de' });
    const { page } = opened;
    const { rows } = await db.query('update admin.account set name = $2 where account_id = $1 returning name', [accountId, long]);
    expect(rows).toHaveLength(1);
    const key = await operator.admin.createKey(
      { account_id: accountId, scope: 'read', name: 'Donaudampfschifffahrtsgesellschaftskapitänsmützen-Schlüssel' },
      AS_OPERATOR,
    );
    await signIn(page);
    const found: string[] = [];
    for (const path of ['/', '/keys', '/audit', `/imports/${cancelled}`]) {
      await page.goto(at(path));
      found.push(...(await cutOff(page, path)));
      await page.setViewportSize({ width: 390, height: 900 });
      const menu = await page.locator('.menu summary span').last().boundingBox();
      expect((menu?.x ?? 999) + (menu?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    expect(found).toEqual([]);
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.goto(at('/audit'));
    await page.emulateMedia({ media: 'print' });
    expect((await page.locator('main').boundingBox())?.width).toBe(1000);
    expect(key.key).not.toBe('');
  });
});

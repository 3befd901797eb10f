import { reservePort } from '@survey/local/ports.ts';
import * as fc from 'fast-check';
import { podMemory } from '../../../test/support/pod-memory/chart-memory.ts';
import { ConsoleClient } from '../../../test/support/console-client.ts';
import { prepareConsole } from '../../../test/support/console-process.ts';
import { servicePids } from '../../../test/support/process-memory.ts';
import type { WholeStack } from '../../../test/failure/whole-stack.ts';
import type { Shape, Target } from './shape.ts';

/** The web console with the chart's memory, and a provider with one person. */
export interface HostileConsole extends AsyncDisposable {
  readonly issuer: string;
  readonly pid: number | undefined;
  /** Opens a browser in which the person is signed in. */
  signIn(): Promise<ConsoleClient>;
  isServing(): Promise<boolean>;
}

const ADMIN = { id: 'admin', name: 'Admin', email: 'admin@x.io' };
const ISSUER_ID = 'admins';

export async function startHostileConsole({ accountAdminAddress, redis }: WholeStack): Promise<HostileConsole> {
  await using starting = new AsyncDisposableStack();
  const url = `http://127.0.0.1:${await reservePort()}`;
  const more = {
    NODE_OPTIONS: `--max-old-space-size=${podMemory('console').heapMebibytes} --max-semi-space-size=2`,
    MALLOC_ARENA_MAX: '1',
    LOG_LEVEL: 'warn',
  };
  const services = { 'account-admin': { address: accountAdminAddress } };
  const replicas = starting.use(await prepareConsole({ services, redisUrl: redis.url }, { url, people: [ADMIN], more }));
  await replicas.start(Number(new URL(url).port));
  const pid = (await servicePids()).get('console');
  const running = starting.move();
  return {
    issuer: replicas.provider.issuer,
    pid,
    signIn: async () => {
      const browser = new ConsoleClient(url);
      const { status } = await browser.signIn(ADMIN.id, ISSUER_ID);
      if (status !== 200) throw new Error(`cannot sign in: ${status}`);
      return browser;
    },
    isServing: () =>
      new ConsoleClient(url).get('/help').then(
        ({ status }) => status === 200,
        () => false,
      ),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const PAGES = ['/', '/imports', '/attributes', '/topics', '/settings', '/audit', '/keys', '/dry-run'];
// A page and its form.
const FORMS = [
  ['/settings', '/settings'],
  ['/admins', '/admins/addresses'],
  ['/topics', '/topics'],
  ['/keys', '/keys'],
  ['/integration', '/integration'],
] as const;
const NAMES = [
  'category',
  'denied',
  'shown',
  'token',
  'version',
  'confirm',
  'name',
  '__proto__',
  'constructor',
  '\u{1f44d}',
  '',
  'x'.repeat(200),
];
const VALUES = ['', 'x', '-1', '1e999', '\u0000', '<b>&amp;', '\u202e', '%', '9'.repeat(100), 'é'];
const AT_ONCE = 50;

/** What browsers of one person send: form fields, tabs, sessions, headers, uploads. */
export const consoleShape: fc.Arbitrary<Shape> = fc
  .record({
    page: fc.constantFrom(...PAGES),
    form: fc.constantFrom(...FORMS),
    name: fc.constantFrom(...NAMES),
    value: fc.constantFrom(...VALUES),
    sent: fc.constantFrom('fields', 'one value', 'tabs', 'sessions', 'query', 'header', 'uploaded fields', 'uploaded name'),
  })
  .map(({ page, form: [shown, action], name, value, sent }) => {
    const attacks: Readonly<Record<typeof sent, [string, Attack]>> = {
      fields: [
        `fields ${JSON.stringify(name)} of ${action}`,
        (at, size, browser) => browser.submit(at(shown), at(action), repeated(size, name, value)),
      ],
      'one value': [
        `one ${JSON.stringify(name)} of ${JSON.stringify(value)}, in ${action}`,
        (at, size, browser) => browser.submit(at(shown), at(action), { [name]: (value || 'x').repeat(size) }),
      ],
      tabs: [`tabs of ${page}`, (at, size, browser) => inTurns(size, () => browser.get(at(page)))],
      sessions: [
        `sessions that open ${page}`,
        (at, size, _browser, target) => inTurns(size / 10, async () => (await target.browse()).get(at(page))),
      ],
      query: [
        `query of ${page} with ${JSON.stringify(name)}`,
        (at, size, browser) => browser.get(`${at(page)}?${repeated(size, name, value).toString()}`),
      ],
      header: [`languages at ${page}`, (at, size, browser) => browser.get(at(page), { 'accept-language': 'xx,'.repeat(size) })],
      'uploaded fields': [
        `fields ${JSON.stringify(name)} beside a snapshot`,
        (at, size, browser) => upload(at, browser, 'snapshot.json', [...repeated(size, name, value)]),
      ],
      'uploaded name': [
        `name of a snapshot of ${JSON.stringify(value)}`,
        (at, size, browser) => upload(at, browser, (value || 'x').repeat(size), []),
      ],
    };
    const [what, attack] = attacks[sent];
    return {
      name: `console: ${what}`,
      sizes: [10, 100, 1_000, 10_000],
      prepare: (target: Target) => {
        const employees = [{ import_id: 'A', email: ADMIN.email, firstname: 'Ann', lastname: 'Lee', role: 'Admin' }];
        return target.import({ body: Buffer.from(JSON.stringify({ employees })), isGzip: false });
      },
      attack: async (target: Target, size: number) => {
        const browser = await target.browse();
        const at = (path: string): string => `/a/${target.account.accountId}${path}`;
        return String((await attack(at, size, browser, target)).status);
      },
    };
  });

const repeated = (size: number, name: string, value: string): URLSearchParams =>
  new URLSearchParams(Array.from({ length: size }, (): [string, string] => [name, value]));

type At = (path: string) => string;
type Attack = (at: At, size: number, browser: ConsoleClient, target: Target) => Promise<{ readonly status: number }>;

async function upload(at: At, browser: ConsoleClient, name: string, fields: readonly (readonly [string, string])[]) {
  const page = await browser.get(at('/dry-run'));
  const form = new FormData();
  form.set('token', /name="token" value="([^"]+)"/.exec(page.text.slice(page.text.indexOf('multipart')))?.[1] ?? '');
  for (const [field, value] of fields) form.append(field, value);
  form.append('snapshot', new Blob(['{"employees":[]}']), name);
  return browser.post(at('/dry-run'), form);
}

// Returns the last result, which follows all that came before it.
async function inTurns(size: number, send: () => Promise<{ readonly status: number }>): Promise<{ readonly status: number }> {
  let last = { status: 0 };
  for (let sent = 0; sent < size; sent += AT_ONCE)
    for (const answer of await Promise.all(Array.from({ length: Math.min(AT_ONCE, size - sent) }, send))) last = answer;
  return last;
}

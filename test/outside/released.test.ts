import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { migrate } from '@survey/postgres/migrate.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { checkOut, previousRelease } from '../failure/previous-release.ts';
import { startWholeStack } from '../failure/whole-stack.ts';
import { startFileStack } from '../support/file-stack.ts';
import { reportSkipped } from '../support/skipped.ts';
import { OutsideProject } from './project.ts';
import { PythonEnvironment, pythonTool } from './python.ts';

// What the last release promised (docs/promises.md) is what its clients were written against.
const release = await previousRelease('docs/released/openapi.json');
if (release === undefined) reportSkipped('outside', 'clients of the last release: this clone has no history of it');
const missing = release === undefined ? 'release' : (inject('missing') ?? inject('pythonMissing'));

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PYTHON_PROGRAM = fileURLToPath(new URL('python/released.py', import.meta.url));
const SIZE = ['--employees', '60', '--months', '2', '--seed', '5'];
const DOCUMENTS = ['clients/surveyctl/README.md', 'clients/typescript/README.md', 'clients/events/README.md'];
const run = promisify(execFile);

// Does with the clients of a version what a nightly program does.
const PROGRAM = `
import { readFile } from 'node:fs/promises';
import { connect } from '@nats-io/transport-node';
import { AuthenticationError, SurveyClient, ValidationError } from '@survey/client';
import { consumeEvents } from '@survey/events';

const [file, idempotencyKey, durable] = process.argv.slice(2);
const { SURVEY_URL: baseUrl, SURVEY_READ_KEY, SURVEY_WRITE_KEY, NATS_URL } = process.env;
const { employees } = JSON.parse(await readFile(file, 'utf8'));
const writer = new SurveyClient({ baseUrl, apiKey: SURVEY_WRITE_KEY });
const options = { waitForRunning: true };
const { import_uuid } = await writer.importEmployees(employees, options);
const replayed = [];
for (let times = 0; times < 2; times += 1)
  replayed.push((await writer.importEmployees(employees, { idempotencyKey, ...options })).replayed);
const caught = (call) => call.then(() => undefined, (error) => error);
const invalid = await caught(writer.importEmployees([{ import_id: 'E', firstname: 'F' }], options));
const faults = invalid instanceof ValidationError && invalid.errors.map(({ pointer }) => pointer);
const denied = await caught(new SurveyClient({ baseUrl, apiKey: 'wrong' }).attributes().page(0));
const rejected = denied instanceof AuthenticationError && denied.status;

const client = new SurveyClient({ baseUrl, apiKey: SURVEY_READ_KEY });
const pageSize = 500;
const lists = {
  employees: await client.employees({ pageSize }).toArray(),
  surveys: await client.surveys({ pageSize }).toArray(),
  survey_cycles: await client.surveyCycles({ pageSize }).toArray(),
  questions: await client.questions({ pageSize }).toArray(),
  survey_assignments: await client.surveyAssignments({ pageSize }).toArray(),
  initiatives: await client.initiatives({ pageSize }).toArray(),
  attributes: await client.attributes({ pageSize }).toArray(),
  text_responses: await client.textResponses({ pageSize }).toArray(),
};
lists.attribute_options = await client.attributeOptions(lists.attributes[0].id).toArray();
const questions = lists.questions.filter(({ type }) => type === 'nps').map(({ id }) => id);
const closed = lists.survey_cycles.filter(({ closed_at }) => closed_at !== null);
const scores = (await client.scores.compare(questions, closed)).map(({ score }) => score);

const { host, username, password } = new URL(NATS_URL);
const bus = await connect({ servers: host, ...(username && { user: username, pass: decodeURIComponent(password) }) });
let event;
for await (event of consumeEvents(bus, { durable, fromPosition: 1 })) {
  event.ack();
  if (event.subject === 'events.import.applied' && event.payload.import_uuid === import_uuid) break;
}
await bus.close();
console.log(JSON.stringify({ replayed, faults, rejected, lists, scores, event: event.subject }));
`;

const created = z.object({ account_id: z.number(), read_key: z.string(), write_key: z.string() });
const seen = z.looseObject({
  replayed: z.array(z.boolean()),
  faults: z.array(z.string()),
  rejected: z.number(),
  lists: z.record(z.string(), z.array(z.unknown()).min(1)),
  scores: z.array(z.unknown()),
});

const CONNECTORS = ['--config', 'config.json', '--manifest-path', 'airbyte/manifest.yaml'];
const COUNT_ROWS = `
import duckdb, json, sys
count = lambda table: duckdb.connect('warehouse.duckdb').sql(f'select count(*) from survey.{table}').fetchall()[0][0]
print(json.dumps({table: count(table) for table in sys.argv[1:]}))`;
const catalogued = z.object({ catalog: z.object({ streams: z.array(z.unknown()) }) });
const recorded = z.object({ record: z.object({ stream: z.string() }) });

/** Returns the messages of a kind that a source of Airbyte has printed. */
function messagesOf<T>(stdout: string, kind: z.ZodType<T>): T[] {
  const lines = stdout.trim().split('\n');
  return lines.map((line) => kind.safeParse(JSON.parse(line))).flatMap(({ data }) => (data === undefined ? [] : [data]));
}

/** Clients of a version, installed as its documents say. */
interface Clients {
  readonly version: string;
  readonly project: OutsideProject;
  readonly python: string;
}
interface Addresses {
  readonly gateway: string;
  readonly accountAdmin: string;
  readonly natsUrl: string;
}

const { stack } = await startFileStack();

/** Returns where a document has values, such as `.employees[].email`. */
function placesOf(value: unknown, place = ''): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...placesOf(item, `${place}[]`)]));
  if (typeof value !== 'object' || value === null) return new Set([place]);
  return new Set(Object.entries(value).flatMap(([name, item]) => [...placesOf(item, `${place}.${name}`)]));
}

describe.skipIf(missing !== undefined)('what was written against the last release', { timeout: 300_000 }, () => {
  const resources = new AsyncDisposableStack();
  let folder: string;
  let root: string;
  let released: Clients;
  let current: Clients;
  // Where the released clients have found values, by the version of the services.
  const found: { current?: ReadonlySet<string>; released?: ReadonlySet<string> } = {};
  beforeAll(async () => {
    if (release === undefined) return;
    folder = await mkdtemp(join(tmpdir(), 'survey-released-'));
    resources.defer(() => rm(folder, { recursive: true }));
    root = await checkOut(release);
    const dist = join(root, 'dist');
    // Written last, so that the checkout was packed by an earlier run.
    if (!existsSync(join(dist, 'SHA256SUMS')))
      await run(process.execPath, ['deploy/local/run.mjs', 'tools/pack/run.ts'], { cwd: root, maxBuffer: 2 ** 26 });
    [released, current] = await Promise.all([install('released', root, dist), install('current', ROOT, inject('dist'))]);
  }, 300_000);
  afterAll(() => resources.disposeAsync());

  async function install(version: string, of: string, dist: string): Promise<Clients> {
    const documents = DOCUMENTS.map((document) => join(of, document));
    const project = resources.use(await OutsideProject.fromDocuments(documents, dist));
    const python = await PythonEnvironment.createWithTools(project.path('python'));
    await python.installFrom(join(of, 'clients/python/README.md'), dist);
    await python.installFrom(join(of, 'clients/dlt/README.md'), project.path('dlt'));
    await project.write('program.mjs', PROGRAM);
    return { version, project, python: join(python.folder, 'bin/python') };
  }

  /**
   * Fills an account with the clients. Returns what they then read in it, and what clients of the
   * services' version read.
   */
  async function use(clients: Clients, own: Clients, { gateway, accountAdmin, natsUrl }: Addresses) {
    const { project } = clients;
    const admin = { ACCOUNT_ADMIN_ADDRESS: accountAdmin, NATS_URL: natsUrl };
    const surveyctlOf = (installed: OutsideProject, ...args: readonly string[]): Promise<string> =>
      installed.run([process.execPath, 'bin/surveyctl', ...args], admin);
    const surveyctl = surveyctlOf.bind(undefined, project);
    const account = created.parse(
      JSON.parse(await surveyctl('account', 'create', '--name', 'A', '--with-keys', '--connect', '--json')),
    );
    const of = ['--account', String(account.account_id)];
    // The same dataset for both versions.
    const generate = ['dataset', 'generate', ...SIZE, '--snapshot', project.path('snapshot.json')];
    await project.write('facts.ndjson', await surveyctlOf(released.project, ...generate));
    const snapshot = await readFile(project.path('snapshot.json'));
    const headers = { 'X-Api-Key': account.write_key, 'Content-Type': 'application/json' };
    const sent = await fetch(`http://${gateway}/v1/employees/imports`, { method: 'POST', headers, body: snapshot });
    const { import_uuid } = z.object({ import_uuid: z.string() }).parse(await sent.json());
    await surveyctl('import', 'watch', import_uuid, ...of);
    await surveyctl('dataset', 'load', 'facts.ndjson', ...of);
    await surveyctl('attribute', 'release', ...of, '--name', 'Country');
    const env = {
      SURVEY_URL: `http://${gateway}`,
      SURVEY_READ_KEY: account.read_key,
      SURVEY_WRITE_KEY: account.write_key,
      NATS_URL: natsUrl,
    };
    const read = async ({ version, ...installed }: Clients) => {
      const file = project.path('snapshot.json');
      const run = async (...command: [string, ...string[]]) => seen.parse(JSON.parse(await installed.project.run(command, env)));
      return {
        typescript: await run(process.execPath, 'program.mjs', file, `${version}-typescript`, version),
        python: await run(installed.python, PYTHON_PROGRAM, file, `${version}-python`),
      };
    };
    const [used, expected] = [await read(clients), await read(own)];
    const rows = Object.fromEntries(Object.entries(used.typescript.lists).map(([name, list]) => [name, list.length]));
    expect(await load(clients, env, Object.keys(rows))).toEqual({ airbyte: rows, dlt: rows });
    return { read: used, expected };
  }

  /** Loads an account with both connectors. Returns how many rows each has of each list. */
  async function load({ project, python }: Clients, env: Readonly<Record<string, string>>, lists: readonly string[]) {
    const config = { base_url: env['SURVEY_URL'], api_key: env['SURVEY_READ_KEY'] };
    await project.write('config.json', JSON.stringify(config));
    const source = (...args: readonly string[]) =>
      project.run([pythonTool('source-declarative-manifest'), ...args, ...CONNECTORS]);
    const streams = messagesOf(await source('discover'), catalogued)
      .flatMap(({ catalog }) => catalog.streams)
      .map((stream) => ({ stream, sync_mode: 'full_refresh', destination_sync_mode: 'append' }));
    await project.write('catalog.json', JSON.stringify({ streams }));
    const records = messagesOf(await source('read', '--catalog', 'catalog.json'), recorded);
    const byStream = Map.groupBy(records, ({ record }) => record.stream);
    await project.run([python, 'dlt/load_duckdb.py'], { ...env, DLT_DATA_DIR: project.folder });
    const counted: unknown = JSON.parse(await project.run([python, '-c', COUNT_ROWS, ...lists]));
    return { airbyte: Object.fromEntries([...byStream].map(([name, { length }]) => [name, length])), dlt: counted };
  }

  it('works with the services of this version', async () => {
    const { gateway, 'account-admin': accountAdmin } = stack.services;
    const addresses = { gateway: gateway.address, accountAdmin: accountAdmin.address, natsUrl: stack.natsUrl };
    const { read, expected } = await use(released, current, addresses);
    expect(read).toEqual(expected);
    expect(read.python).toEqual({ ...read.typescript, event: undefined });
    expect(read.python).toMatchObject({ replayed: [false, true], rejected: 401 });
    expect(read.python.scores).toContainEqual(expect.objectContaining({ score: expect.any(Number) }));
    found.current = placesOf(read.typescript);
  });

  it('still runs where this version of the clients is in use', async () => {
    const path = join(root, 'packages/postgres/src/migrate.ts');
    const { migrate: migrateTo }: { migrate: typeof migrate } = await import(pathToFileURL(path).href);
    await using services = await startWholeStack({ folder, root, migrateTo });
    const { gatewayUrl, accountAdminAddress: accountAdmin, nats } = services;
    const { read, expected } = await use(current, released, {
      gateway: new URL(gatewayUrl).host,
      accountAdmin,
      natsUrl: nats.url,
    });
    expect(read).toEqual(expected);
    expect(read.python).toEqual({ ...read.typescript, event: undefined });
    found.released = placesOf(expected.typescript);
  });

  it('finds every field that it found then', () => {
    const { current, released } = found;
    expect([...(released ?? [])].filter((place) => current?.has(place) !== true)).toEqual([]);
    expect(current).toContain('.lists.employees[].attributes[].attribute_values[].name');
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { openCustomer, podOf, surveyctl, type Customer } from './customer.ts';
import { docker } from './docker.ts';
import type { Release } from './release.ts';
import { bootstrapSecrets, openSmallRelease, prepareStores, renderSmall } from './small-release.ts';

const run = promisify(execFile);
const SERVICES = ['account-admin', 'scoring-anonymity', 'export', 'import-reconciler', 'text-analysis', 'gateway', 'ops-tools'];
const ALL_TIME = 'period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z';
const surveysPage = z.object({ surveys: z.array(z.object({ id: z.int() })) });
const questionsPage = z.object({ questions: z.array(z.object({ id: z.int() })) });
const COUNTS = `select table_schema || '.' || table_name, (xpath('/row/c/text()', query_to_xml(format('select count(*) as c from %I.%I',
  table_schema, table_name), false, true, '')))[1] from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`;
// Runs `kubectl -n survey exec [-i] POD -- command …` of the runbook with Docker.
const KUBECTL = 'kubectl() { while [ "$1" != -- ]; do shift; done; docker exec -i "$POSTGRES" "${@:2}"; }\n';
const { helm3 } = inject('tools');

type Answers = Awaited<ReturnType<Customer['ask']>>[];

describe.skipIf(helm3 === undefined)('a restore of the database', () => {
  const closing = new AsyncDisposableStack();
  let release: Release;
  let customer: Customer;
  let folder = '';
  const psql = (...args: string[]): Promise<string> =>
    docker('exec', podOf(release, 'postgres').id, 'psql', '-U', 'survey', '-At', ...args);
  const askAll = async (): Promise<Answers> => {
    const { surveys } = surveysPage.parse(await customer.read('/v1/surveys'));
    const { questions } = questionsPage.parse(await customer.read('/v1/questions'));
    const reads = [
      '/v1/employees?limit=200',
      '/v1/attributes',
      '/v1/surveys',
      '/v1/questions',
      '/v1/initiatives',
      ...surveys.flatMap(({ id }) => ['survey_cycles', 'survey_assignments'].map((list) => `/v1/${list}?survey_id=${id}`)),
      ...questions.map(({ id }) => `/v1/scores?question_ids=${id}&${ALL_TIME}`),
    ];
    return Promise.all(reads.map((path) => customer.ask(path)));
  };
  // Background work continues after the load and polls every 5 s: two equal counts mean it is done.
  const finalCounts = async (): Promise<string> => {
    const before = await psql('-d', 'survey', '-c', COUNTS);
    await sleep(12_000);
    const after = await psql('-d', 'survey', '-c', COUNTS);
    return after === before ? after : finalCounts();
  };
  let counts = '';
  let answers: Answers = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'survey-restore-'));
    closing.defer(() => rm(folder, { recursive: true, force: true }));
    const manifests = await renderSmall();
    release = closing.use(await openSmallRelease(bootstrapSecrets(), manifests));
    await prepareStores(release);
    await Promise.all(SERVICES.map((component) => release.add(component)));
    customer = await openCustomer(release);
    const made = '/tmp/made.ndjson';
    const generate = `surveyctl dataset generate --employees 200 --months 3 > ${made}`;
    await docker('exec', podOf(release, 'ops-tools').id, 'sh', '-c', generate);
    await customer.applied(await customer.importEmployees(200));
    await surveyctl(release, 'dataset', 'load', made, '--account', customer.account);
  });
  afterAll(() => closing.disposeAsync());

  test('starts from the dump of the runbook', async () => {
    counts = await finalCounts();
    answers = await askAll();
    await follow('pg_dump');
    expect((await stat(join(folder, 'survey.dump'))).size).toBeGreaterThan(100_000);
  });

  test('recovers all rows and responses with the commands of the runbook', async () => {
    for (const pod of release.pods.filter(({ component }) => SERVICES.includes(component))) await release.stop(pod);
    const started = Date.now();
    // The roles are lost with the server: the job recreates them before the dump needs them.
    await release.stop(podOf(release, 'postgres'));
    await release.add('postgres');
    await prepareStores(release);
    await follow('dropdb', 'createdb', 'pg_restore');
    expect(await psql('-d', 'survey', '-c', COUNTS)).toBe(counts);
    await prepareStores(release);
    await Promise.all(SERVICES.map((component) => release.add(component)));
    process.stderr.write(`restored and ready after ${Math.round((Date.now() - started) / 1_000)} s\n`);
    expect(counts.split('\n').length).toBeGreaterThan(20);
    expect(await askAll()).toEqual(answers);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(8);
  });

  test('is followed by a working import and a successful helm test', async () => {
    const count = async (): Promise<number> =>
      z.object({ total_count: z.int() }).parse(await customer.read('/v1/employees?limit=1')).total_count;
    const before = await count();
    await customer.applied(await customer.importEmployees(250));
    expect(await count()).toBe(before + 50);
    const checks = release.cluster.manifests.filter(({ kind }) => kind === 'Pod');
    const outcomes = await Promise.all(checks.map((check) => release.complete(check)));
    expect(outcomes.map(({ code, output }) => (code === 0 ? '' : output))).toEqual(checks.map(() => ''));
  });

  // Runs commands of the runbook in PostgreSQL's pod, in its order, with the dump in `folder`.
  async function follow(...programs: string[]): Promise<void> {
    const runbook = await readFile(new URL('../../docs/runbooks/restore.md', import.meta.url), 'utf8');
    const commands = [...runbook.matchAll(/^kubectl -n survey exec (?:-i )?survey-postgres-0 -- (\w+) .*$/gm)].filter(
      ([, program = '']) => programs.includes(program),
    );
    expect(commands.map(([, program]) => program)).toEqual(programs);
    const env = { ...process.env, POSTGRES: podOf(release, 'postgres').id };
    const script = KUBECTL + commands.map(([command]) => command).join('\n');
    await run('bash', ['--norc', '-euc', script], { cwd: folder, env });
  }
});

import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { datasetChunks } from '@survey/demo-data/write-dataset.ts';
import { workforce } from '@survey/demo-data/workforce.ts';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { surveyctlAt } from '../support/surveyctl.ts';
import { run } from './project.ts';
import { PythonEnvironment, pythonTool } from './python.ts';

const { stack, operator, importAndWait } = await startFileStack();
const SIZE = { employees: 60, months: 2, seed: 5 };
const baseUrl = `http://${stack.services.gateway.address}`;

const stream = z.looseObject({
  name: z.string(),
  json_schema: z.record(z.string(), z.unknown()),
  supported_sync_modes: z.array(z.string()),
});
const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('CONNECTION_STATUS'), connectionStatus: z.object({ status: z.string() }) }),
  z.object({ type: z.literal('CATALOG'), catalog: z.object({ streams: z.array(stream) }) }),
  z.object({ type: z.literal('RECORD'), record: z.object({ stream: z.string(), data: z.record(z.string(), z.unknown()) }) }),
  z.object({
    type: z.literal('STATE'),
    state: z.looseObject({ stream: z.looseObject({ stream_descriptor: z.object({ name: z.string() }) }) }),
  }),
  z.object({ type: z.literal('LOG') }),
  z.object({ type: z.literal('TRACE') }),
]);
type Message = z.infer<typeof message>;

const ofType = <T extends Message['type']>(messages: readonly Message[], type: T): Extract<Message, { type: T }>[] =>
  messages.filter((one): one is Extract<Message, { type: T }> => one.type === type);

// Starting the tools of Airbyte and dlt takes seconds, and up to a minute on a busy machine.
describe.skipIf(inject('pythonMissing') !== undefined)('a connector', { timeout: 300_000 }, () => {
  let folder: string;
  let environment: PythonEnvironment;
  let account: Account;
  let scores: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'survey-connectors-'));
    environment = await PythonEnvironment.createWithTools(join(folder, 'environment'));
    await environment.installFrom('clients/airbyte/README.md', folder);
    account = await operator.createAccount();
    await importAndWait(account, [...workforce(SIZE)]);
    const surveyctl = surveyctlAt(stack);
    const of = ['--account', String(account.accountId)];
    await surveyctl(['dataset', 'load', '-', ...of], [...datasetChunks(SIZE)].join(''));
    await surveyctl(['attribute', 'release', ...of, '--name', 'Country']);
    const { questions } = z
      .object({ questions: z.array(z.object({ id: z.number(), type: z.string() })) })
      .parse((await get('questions')).body);
    const idsOf = (types: RegExp): string => questions.flatMap(({ id, type }) => (types.test(type) ? [id] : [])).join(',');
    scores = [idsOf(/^nps$/), idsOf(/^(stars|smiley_faces)$/)];
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true }));

  async function get(path: string): Promise<{ total: number; body: unknown }> {
    const response = await fetch(`${baseUrl}/v1/${path}`, { headers: { 'X-Api-Key': account.readKey } });
    const body: unknown = await response.json();
    return { total: Number(Reflect.get(Object(body), 'total_count')), body };
  }

  describe('for Airbyte', () => {
    const airbyte = async (command: string, files: Readonly<Record<string, unknown>> = {}): Promise<Message[]> => {
      const options = ['--manifest-path', join(inject('dist'), 'airbyte/manifest.yaml')];
      const config = { base_url: baseUrl, api_key: account.readKey, scores };
      for (const [name, value] of Object.entries({ config, ...files })) {
        await writeFile(join(folder, `${name}.json`), JSON.stringify(value));
        options.push(`--${name}`, join(folder, `${name}.json`));
      }
      const { stdout } = await run(pythonTool('source-declarative-manifest'), [command, ...options], { maxBuffer: 2 ** 28 });
      return stdout
        .trim()
        .split('\n')
        .map((line) => message.parse(JSON.parse(line)));
    };

    it('checks the key', async () => {
      const [succeeded] = ofType(await airbyte('check'), 'CONNECTION_STATUS');
      expect(succeeded?.connectionStatus.status).toBe('SUCCEEDED');
      const config = { base_url: baseUrl, api_key: 'wrong' };
      const [failed] = ofType(await airbyte('check', { config }), 'CONNECTION_STATUS');
      expect(failed?.connectionStatus).toMatchObject({ status: 'FAILED' });
    });

    it('discovers ten streams and reads them, again only what is new', async () => {
      const streams = ofType(await airbyte('discover'), 'CATALOG').flatMap(({ catalog }) => catalog.streams);
      const ajv = new Ajv({ strict: false });
      addFormats.default(ajv);
      const validators = new Map(streams.map(({ name, json_schema }) => [name, ajv.compile(json_schema)]));
      const configured = streams.map((one) => ({
        stream: one,
        sync_mode: one.supported_sync_modes.includes('incremental') ? 'incremental' : 'full_refresh',
        destination_sync_mode: 'append',
      }));
      const catalog = { streams: configured };
      const first = await airbyte('read', { catalog });
      const counts = new Map<string, number>();
      for (const { record } of ofType(first, 'RECORD')) {
        counts.set(record.stream, (counts.get(record.stream) ?? 0) + 1);
        const validate = validators.get(record.stream);
        validate?.(record.data);
        expect(validate?.errors ?? []).toEqual([]);
      }
      const [cycles, surveys] = [(await get('survey_cycles')).total, (await get('surveys')).total];
      expect(Object.fromEntries(counts)).toEqual({
        employees: (await get('employees')).total,
        surveys,
        survey_cycles: cycles,
        questions: (await get('questions')).total,
        survey_assignments: (await get('survey_assignments')).total,
        initiatives: (await get('initiatives')).total,
        attributes: 1,
        attribute_options: expect.any(Number),
        text_responses: (await get('text_responses')).total,
        scores: cycles * scores.length,
      });
      const state = [
        ...new Map(ofType(first, 'STATE').map((one) => [one.state.stream.stream_descriptor.name, one.state])).values(),
      ];
      const second = ofType(await airbyte('read', { catalog, state }), 'RECORD');
      const again = (name: string): number => second.filter(({ record }) => record.stream === name).length;
      expect(again('surveys')).toBeLessThan(surveys);
    });
  });

  it('for dlt loads a warehouse that the query and the plot of its README read', async () => {
    await cp(join(inject('dist'), 'dlt'), folder, { recursive: true });
    await environment.installFrom('clients/dlt/README.md', folder);
    const env = {
      PATH: '',
      HOME: folder,
      DLT_DATA_DIR: folder,
      SURVEY_URL: baseUrl,
      SURVEY_READ_KEY: account.readKey,
    };
    const python = (args: readonly string[]) => run(join(environment.folder, 'bin/python'), args, { cwd: folder, env });
    await python(['load_duckdb.py', ...scores]);
    await python(['load_duckdb.py', ...scores]);
    const [, query = ''] = /```sql\n([^]*?)```/.exec(await readFile(join(folder, 'README.md'), 'utf8')) ?? [];
    const count = (table: string) => `select count(*) from survey.${table}`;
    const program = `
import duckdb, json
db = duckdb.connect('warehouse.duckdb')
print(json.dumps([len(db.sql(${JSON.stringify(query)}).fetchall()),
  *(db.sql(statement).fetchall()[0][0] for statement in ${JSON.stringify([count('employees'), count('survey_cycles'), count('scores')])})]))`;
    const [rows, ...counts] = z.array(z.number()).parse(JSON.parse((await python(['-c', program])).stdout));
    const cycles = (await get('survey_cycles')).total;
    expect(rows).toBeGreaterThan(0);
    expect(counts).toEqual([(await get('employees')).total, cycles, cycles * scores.length]);
    await python(['plot.py']);
    expect((await stat(join(folder, 'scores.png'))).size).toBeGreaterThan(5_000);
  });
});

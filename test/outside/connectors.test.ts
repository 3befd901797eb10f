import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { datasetChunks } from '@survey/demo-data/write-dataset.ts';
import { workforce } from '@survey/demo-data/workforce.ts';
import { SurveyClient } from '@survey/client';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { surveyctlAt } from '../support/surveyctl.ts';
import { run } from './project.ts';
import { FakeHost } from './fake-host.ts';
import { PythonEnvironment, pythonTool } from './python.ts';

const { stack, operator, importAndWait, db } = await startFileStack();
// Begins a Python program that asks the warehouse.
const open = `import duckdb, json; sql = lambda text: duckdb.connect('warehouse.duckdb').sql(text).fetchall()`;
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

/** The answers to one question in one cycle. */
interface Answered {
  readonly type: string;
  readonly values: readonly number[];
}
interface Counted {
  readonly id: string;
  readonly respondents: number;
  readonly questions: readonly Answered[];
}

const ofType = <T extends Message['type']>(messages: readonly Message[], type: T): Extract<Message, { type: T }>[] =>
  messages.filter((one): one is Extract<Message, { type: T }> => one.type === type);

// Starting the tools of Airbyte and dlt takes seconds, and up to a minute on a busy machine.
describe.skipIf(inject('pythonMissing') !== undefined)('a connector', { timeout: 300_000 }, () => {
  let folder: string;
  let environment: PythonEnvironment;
  let account: Account;
  let scores: { survey_id: number; question_ids: number[] }[];
  let scored: number;
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
    const { cycles } = z
      .object({ cycles: z.array(z.object({ survey_id: z.number(), opened_at: z.string() })) })
      .parse((await get('survey_cycles?limit=1000')).body);
    const begun = cycles.filter(({ opened_at }) => Date.parse(opened_at) < Date.now()).map(({ survey_id }) => survey_id);
    const idsOf = (types: RegExp): number[] => questions.flatMap(({ id, type }) => (types.test(type) ? [id] : []));
    const [first = 0, second = 0] = new Set(begun);
    scores = [
      { survey_id: first, question_ids: idsOf(/^nps$/) },
      { survey_id: second, question_ids: idsOf(/^(stars|smiley_faces)$/) },
    ];
    scored = begun.filter((id) => id === first || id === second).length;
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true }));

  async function get(path: string): Promise<{ total: number; body: unknown }> {
    const response = await fetch(`${baseUrl}/v1/${path}`, { headers: { 'X-Api-Key': account.readKey } });
    const body: unknown = await response.json();
    return { total: Number(Reflect.get(Object(body), 'total_count')), body };
  }

  // Both scores of the demo by their definitions: promoters less detractors, and the mean of the
  // questions' mean positions between the worst and the best option, here 1 and 5.
  const directScore = (questions: readonly Answered[]): number => {
    const points = questions.map(({ type, values }) =>
      type === 'nps'
        ? values.reduce((sum, value) => sum + (value >= 9 ? 100 : value <= 6 ? -100 : 0), 0) / values.length
        : values.reduce((sum, value) => sum + (100 * (value - 1)) / 4, 0) / values.length,
    );
    return points.reduce((sum, one) => sum + one, 0) / points.length;
  };

  // The score of each cycle of the requested surveys by the API, the TypeScript and the Python
  // client, compared with its respondents and values as PostgreSQL has them.
  async function expectedScores(): Promise<Map<string, unknown[]>> {
    const client = new SurveyClient({ baseUrl, apiKey: account.readKey });
    const expected = new Map<string, unknown[]>();
    for (const { survey_id, question_ids } of scores) {
      const cycles = await client.surveyCycles({ survey_id }).toArray();
      const { rows } = await db.query<Counted>(
        `select id, count(distinct respondent)::integer as respondents,
           jsonb_agg(distinct jsonb_build_object('type', type, 'values', "values")) as questions
         from (
           select r.cycle_id as id, a.respondent, q.type,
             jsonb_agg((o ->> 'value')::float8) over (partition by r.cycle_id, a.question_id) as "values"
           from scoring.response r
           join scoring.answer a on a.account_id = r.account_id and a.response = r.ordinal
           join scoring.question q on q.account_id = a.account_id and q.id = a.question_id
           join scoring.choice c on c.account_id = a.account_id and c.id = a.choice
           join jsonb_array_elements(q.answer_options) o on (o ->> 'id')::bigint = c.option_ids[1]
           where r.account_id = $1 and r.survey_id = $2 and a.question_id = any($3::bigint[])
         ) answered group by id`,
        [account.accountId, survey_id, question_ids],
      );
      const counted = new Map(rows.map((row) => [row.id, row]));
      for (const { cycle, score } of await client.scores.compare(question_ids, cycles, { onSkipped: () => undefined })) {
        const { respondents = 0, questions = [] } = counted.get(cycle.id) ?? {};
        expect(score.respondents).toBe(respondents);
        // A suppressed score has no value to compare.
        const direct = score.score === null ? 0 : directScore(questions);
        expect(score.score ?? direct).toBeCloseTo(direct, 1);
        const period = `period_from=${cycle.opened_at}&period_to=${cycle.closed_at ?? new Date().toISOString()}`;
        const asked = await get(`scores?question_ids=${question_ids.join()}&survey_ids=${survey_id}&${period}`);
        expect(asked.body).toEqual(score);
        expected.set(`${cycle.id} ${question_ids.join()}`, [survey_id, score.score, score.respondents]);
      }
    }
    return expected;
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
      expect(scored).toBeLessThan(cycles);
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
        scores: scored,
      });
      const read = ofType(first, 'RECORD').flatMap(({ record: { stream, data } }) =>
        stream === 'scores'
          ? [
              [
                `${String(data['cycle_id'])} ${String(data['question_ids'])}`,
                [data['survey_id'], data['score'] ?? null, data['respondents']],
              ] as const,
            ]
          : [],
      );
      expect(new Map(read)).toEqual(await expectedScores());
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
    const requests = scores.map(({ survey_id, question_ids }) => `${survey_id}:${question_ids.join()}`);
    await python(['load_duckdb.py', ...requests]);
    await python(['load_duckdb.py', ...requests]);
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
    expect(counts).toEqual([(await get('employees')).total, cycles, scored]);
    const read = `${open}\nprint(json.dumps(sql("select cycle_id || ' ' || question_ids, survey_id, score, respondents from survey.scores")))`;
    const loaded = z.array(z.array(z.unknown())).parse(JSON.parse((await python(['-c', read])).stdout));
    expect(new Map(loaded.map(([key, ...score]) => [key, score]))).toEqual(await expectedScores());
    await python(['plot.py']);
    expect((await stat(join(folder, 'scores.png'))).size).toBeGreaterThan(5_000);
    const unknown = python(['load_duckdb.py', '99999:1']);
    await expect(unknown).rejects.toMatchObject({ stderr: expect.stringContaining('there is no survey 99999') });
  });

  describe('and a host that is not, or no longer, the account', () => {
    const host = new FakeHost();
    beforeAll(async () => {
      await cp(join(inject('dist'), 'dlt'), folder, { recursive: true });
      await environment.installFrom('clients/dlt/README.md', folder);
      await host.start();
    });
    afterAll(() => host.stop());

    // Loads into a warehouse of its own, and returns what Python prints about it.
    async function load(name: string, program = 'print(0)', requests: readonly string[] = []): Promise<unknown> {
      const cwd = join(folder, name);
      await cp(join(inject('dist'), 'dlt'), cwd, { recursive: true });
      const env = { PATH: '', HOME: cwd, DLT_DATA_DIR: cwd, SURVEY_URL: host.url, SURVEY_READ_KEY: 'key' };
      const python = (args: readonly string[]) => run(join(environment.folder, 'bin/python'), args, { cwd, env });
      await python(['load_duckdb.py', ...requests]);
      return JSON.parse((await python(['-c', `${open}\n${program}`])).stdout);
    }

    const airbyte = async (
      streams: readonly string[],
      state: readonly unknown[] = [],
      settings: Readonly<Record<string, string>> = {},
    ): Promise<{ code: number; stdout: string }> => {
      const config = { base_url: host.url, api_key: 'key', scores: [{ survey_id: 1, question_ids: [11] }], ...settings };
      const catalog = {
        streams: streams.map((name) => ({
          stream: { name, json_schema: {}, supported_sync_modes: ['full_refresh', 'incremental'] },
          sync_mode: name === 'surveys' ? 'incremental' : 'full_refresh',
          destination_sync_mode: 'overwrite',
        })),
      };
      const options = ['--manifest-path', join(inject('dist'), 'airbyte/manifest.yaml')];
      for (const [name, value] of Object.entries({ config, catalog, state })) {
        await writeFile(join(folder, `fake-${name}.json`), JSON.stringify(value));
        options.push(`--${name}`, join(folder, `fake-${name}.json`));
      }
      return run(pythonTool('source-declarative-manifest'), ['read', ...options], { maxBuffer: 2 ** 28 }).then(
        ({ stdout }) => ({ code: 0, stdout }),
        (error: unknown) => z.object({ code: z.number(), stdout: z.string() }).parse(error),
      );
    };
    const messagesOf = ({ stdout }: { stdout: string }): Message[] =>
      stdout
        .trim()
        .split('\n')
        .map((line) => message.parse(JSON.parse(line)));
    const recordsOf = (run: { stdout: string }): Record<string, unknown>[] =>
      ofType(messagesOf(run), 'RECORD').map(({ record }) => record.data);

    it.each([
      ['404', 'no survey service', /404 Not Found.*check base_url/],
      ['html', 'Something else than the survey service', /it is text\/html, not JSON/],
      ['revoked', 'invalid or revoked', /401 No\./],
    ] as const)('fails with the reason: %s', async (mode, airbyteSays, dltSays) => {
      host.mode = mode;
      const { code, stdout } = await airbyte(['employees']);
      expect([code, stdout]).toEqual([1, expect.stringContaining(airbyteSays)]);
      await expect(load(mode)).rejects.toMatchObject({ stderr: expect.stringMatching(dltSays) });
    });

    it('reads an account without records, also with /v1 in the base URL, and under the path of a proxy', async () => {
      host.mode = 'empty';
      expect(recordsOf(await airbyte(['employees', 'surveys', 'attribute_options', 'scores']))).toEqual([]);
      host.path = '/v1/';
      expect((await airbyte(['employees'])).code).toBe(0);
      [host.path, host.prefix] = ['/hr/v1', '/hr'];
      expect((await airbyte(['employees'])).code).toBe(0);
      expect(await load('empty')).toBe(0);
      // Without its path, the proxy answers 404.
      host.path = '';
      expect((await airbyte(['employees'])).code).toBe(1);
      host.prefix = '';
      expect(host.responses.filter((response) => !/^200 \/v1\/[a-z_]+$/.test(response))).toEqual([]);
    });

    it('keeps the types of columns, whichever value comes first, and skips cycles that have not begun', async () => {
      host.mode = 'account';
      const [scores, surveys] = [await airbyte(['scores']), await airbyte(['surveys'])].map(recordsOf);
      expect(scores?.map(({ score, cycle_id }) => [cycle_id, score ?? null]).toSorted()).toEqual([
        ['c1', 65],
        ['c2', 32.5],
        ['c3', null],
      ]);
      expect(surveys?.map(({ created_at }) => created_at)).toEqual(['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000001Z']);
      const program = `print(json.dumps([sql('select score from survey.scores order by cycle_id'),
        sql("select table_name, column_name, data_type from information_schema.columns where table_schema = 'survey' and column_name in ('score', 'value', 'start_at', 'created_at') and table_name in ('scores', 'questions__answer_options', 'surveys') order by all")]))`;
      expect(await load('account', program, ['1:11'])).toEqual([
        [[65], [32.5], [null]],
        [
          ['questions__answer_options', 'value', 'DOUBLE'],
          ['scores', 'score', 'DOUBLE'],
          ['surveys', 'created_at', 'TIMESTAMP WITH TIME ZONE'],
          ['surveys', 'start_at', 'TIMESTAMP WITH TIME ZONE'],
        ],
      ]);
    });

    it('reads what is left when an attribute is withdrawn between two pages', async () => {
      host.mode = 'withdrawn';
      const options = await airbyte(['attribute_options']);
      expect([options.code, new Set(recordsOf(options).map(({ attribute_id }) => attribute_id))]).toEqual([0, new Set([1, 2])]);
      const program = `print(json.dumps(sql('select attribute_id, count(*) from survey.attribute_options group by all order by all')))`;
      expect(await load('withdrawn', program)).toEqual([
        [1, 1_000],
        [2, 1_500],
      ]);
    });

    it('for dlt transfers only lists that have changed since the last load, and all into a new warehouse', async () => {
      const count = `print(json.dumps(sql('select (select count(*) from survey.surveys), (select min(name) from survey.attribute_options)')))`;
      host.mode = 'account';
      expect(await load('unchanged', count)).toEqual([[2, 'account']]);
      const transfers = async (): Promise<[unknown, string[]]> => {
        host.responses = [];
        const rows = await load('unchanged', count);
        return [rows, host.responses.filter((response) => !response.startsWith('304 ')).toSorted()];
      };
      expect(await transfers()).toEqual([[[2, 'account']], ['200 /v1/text_responses']]);
      const lists = ['employees', 'initiatives', 'questions', 'survey_assignments', 'survey_cycles', 'surveys'];
      // Each once.
      const unchanged = ['attributes', 'attributes/1/options', 'attributes/2/options', ...lists].map((list) => `304 /v1/${list}`);
      expect(host.responses.toSorted()).toEqual(['200 /v1/text_responses', ...unchanged]);
      host.mode = 'changed';
      const options = ['200 /v1/attributes/1/options', '200 /v1/attributes/2/options'];
      expect(await transfers()).toEqual([[[2, 'changed']], [...options, '200 /v1/text_responses']]);
      await rm(join(folder, 'unchanged/warehouse.duckdb'));
      expect((await transfers())[0]).toEqual([[2, 'changed']]);
    });

    it('for Airbyte fails when surveys that were there are gone, but not for an account that never had one', async () => {
      host.mode = 'empty';
      // The state after a sync, which a sync begins with.
      let state: unknown[] = [];
      const sync = async (settings: Readonly<Record<string, string>> = {}): Promise<[number, number, boolean]> => {
        const run = await airbyte(['surveys'], state, settings);
        const states = ofType(messagesOf(run), 'STATE').map((one) => one.state);
        if (run.code === 0) state = states.slice(-1);
        return [run.code, recordsOf(run).length, run.stdout.includes('surveys of an earlier sync are gone')];
      };
      const later = { start_date: '2124-01-01T00:00:00Z' };
      for (const settings of [{}, later, later]) expect(await sync(settings)).toEqual([0, 0, false]);
      host.mode = 'account';
      expect([await sync(), await sync()]).toEqual([
        [0, 2, false],
        [0, 2, false],
      ]);
      host.mode = 'empty';
      expect(await sync()).toEqual([1, 0, true]);
    });

    it('for dlt fails when surveys that were there are gone', async () => {
      host.mode = 'account';
      await load('gone');
      host.mode = 'empty';
      await expect(load('gone')).rejects.toMatchObject({
        stderr: expect.stringMatching(/(surveys|questions|survey_cycles) is empty, but had/),
      });
    });
  });
});

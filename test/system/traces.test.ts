import { LOG_FIELDS } from '@survey/process/log-fields.ts';
import { Client } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startOtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { startProcessStack, type LogLine } from '../support/process-stack.ts';
import { R } from '../support/records.ts';

const receiver = await startOtlpReceiver();
afterAll(() => receiver[Symbol.asyncDispose]());
const stack = await startProcessStack((environment) => ({
  ...environment,
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_BSP_SCHEDULE_DELAY: '100',
  // The sweeper runs so rarely that the bus delivers an import's message before it is found.
  SWEEP_INTERVAL_SECONDS: '3',
}));
afterAll(() => stack[Symbol.asyncDispose]());
const { api, operator, lines } = stack;

const accepted = z.object({ import_uuid: z.string() });

async function importOf(employees: readonly unknown[], headers: Record<string, string> = {}) {
  const account = await operator.createAccount();
  const answer = await api.post('/v1/employees/imports', { employees }, account.writeKey, headers);
  const { import_uuid } = accepted.parse(answer.body);
  const outcome = await operator.importEnded(account.accountId, import_uuid);
  return { account, import_uuid, outcome, requestId: answer.headers.get('x-request-id') };
}

/** Returns the gateway's log line of a request, which maps an X-Request-Id to its trace. */
async function requestLine(requestId: string | null): Promise<LogLine> {
  const find = (): LogLine | undefined => lines.find(({ msg, request_id }) => msg === 'request' && request_id === requestId);
  await expect.poll(find).toBeDefined();
  return z.custom<LogLine>().parse(find());
}

const ofTrace = (traceId: unknown): ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId);
const placeOf = ({ service, name }: ReceivedSpan): string => `${service}: ${name}`;

/** Returns a span followed by its ancestors, the root last, as far as received. */
function wayTo(traceId: unknown, place: string): ReceivedSpan[] {
  const spans = ofTrace(traceId);
  const way: ReceivedSpan[] = [];
  let span = spans.find((one) => placeOf(one) === place);
  while (span !== undefined) {
    way.push(span);
    const { parentId } = span;
    span = spans.find(({ spanId }) => spanId === parentId);
  }
  return way;
}

/** Waits until this is the path to the first of these spans. */
async function expectWay(traceId: unknown, places: readonly [string, ...string[]]): Promise<void> {
  await expect.poll(() => wayTo(traceId, places[0]).map(placeOf)).toEqual(places);
  const [first] = wayTo(traceId, places[0]).slice(-1);
  expect(first?.parentId).toBe('');
  expect(wayTo(traceId, places[0]).some(({ hasFailed }) => hasFailed)).toBe(false);
}

const START_IMPORT = 'survey.imports.v1.ImportService/StartImport';

describe('a trace', () => {
  it('goes from the request for an import over the service, the outbox and the bus to the worker, and stands in their log lines', async () => {
    const { import_uuid, requestId, outcome } = await importOf([R(1), R(2)]);
    expect(outcome.state).toBe('applied');
    const { trace_id } = await requestLine(requestId);
    expect(trace_id).toMatch(/^[0-9a-f]{32}$/);
    await expectWay(trace_id, [
      'import-reconciler: import',
      'import-reconciler: process import-reconciler',
      `import-reconciler: ${START_IMPORT}`,
      `gateway: ${START_IMPORT}`,
      'gateway: POST /v1/employees/imports',
    ]);
    const ended = lines.find((line) => line.msg === 'import ended' && line['import_uuid'] === import_uuid);
    expect(ended).toMatchObject({ service: 'import-reconciler', trace_id, span_id: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  it('goes on when the bus has lost the message and the sweeper finds the import', async () => {
    const db = new Client({ connectionString: stack.databaseUrl });
    await db.connect();
    await db.query(`create function lose() returns trigger language plpgsql as 'begin return null; end'`);
    await db.query(
      `create trigger lose before insert on imports.outbox for each row when (new.subject = 'jobs.import') execute function lose()`,
    );
    try {
      const { requestId, outcome } = await importOf([R(1)]);
      expect(outcome.state).toBe('applied');
      const { trace_id } = await requestLine(requestId);
      await expectWay(trace_id, [
        'import-reconciler: import',
        `import-reconciler: ${START_IMPORT}`,
        `gateway: ${START_IMPORT}`,
        'gateway: POST /v1/employees/imports',
      ]);
    } finally {
      await db.query('drop trigger lose on imports.outbox');
      await db.end();
    }
  });

  it('goes over the services that a read needs', async () => {
    const { readKey } = await operator.createAccount();
    const listed = await api.get('/v1/employees?limit=1', readKey);
    const { trace_id } = await requestLine(listed.headers.get('x-request-id'));
    const list = 'survey.export.v1.ExportService/ListEmployees';
    await expectWay(trace_id, [`export: ${list}`, `gateway: ${list}`, 'gateway: GET /v1/employees']);
  });

  it('of the client is linked and logged, and neither continued nor obeyed', async () => {
    const { readKey } = await operator.createAccount();
    const theirs = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${theirs}-b7ad6b7169203331-00` };
    const answer = await api.get('/v1/surveys', readKey, headers);
    const line = await requestLine(answer.headers.get('x-request-id'));
    expect(line).toMatchObject({ client_trace_id: theirs });
    expect(line['trace_id']).not.toBe(theirs);
    await expectWay(line['trace_id'], ['gateway: GET /v1/surveys']);
    expect(wayTo(line['trace_id'], 'gateway: GET /v1/surveys')[0]?.linkedTraceIds).toEqual([theirs]);
    expect(ofTrace(theirs)).toEqual([]);
  });

  it('is not begun by a header that is none', async () => {
    const { readKey } = await operator.createAccount();
    const answer = await api.get('/v1/surveys', readKey, { traceparent: 'planted-traceparent' });
    const line = await requestLine(answer.headers.get('x-request-id'));
    expect(line).not.toHaveProperty('client_trace_id');
    expect(line['trace_id']).toMatch(/^[0-9a-f]{32}$/);
  });
});

const ATTRIBUTES = [
  'error.type',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'messaging.consumer.group.name',
  'messaging.operation.type',
  'messaging.system',
  'rpc.method',
  'rpc.system.name',
  'survey.account_id',
  'survey.import.state',
  'survey.import_uuid',
];

it('neither spans nor log lines hold a key, a value of a record or of a query, whether things go well or not', async () => {
  const planted = R(1, {
    email: 'planted@x.io',
    firstname: 'Planted',
    attributes: [{ name: 'Planted', value: { name: 'planted' } }],
  });
  const { account } = await importOf([planted]);
  const keys = [account.readKey, account.writeKey];
  await api.get('/v1/employees?planted=planted', account.readKey);
  await api.get('/v1/planted', account.readKey);
  await api.get('/v1/employees', 'planted-key');
  const rejected = await api.post('/v1/employees/imports', { employees: [{ ...planted, planted: 'planted' }] }, account.writeKey);
  expect(rejected.status).toBe(400);
  const { trace_id } = await requestLine(rejected.headers.get('x-request-id'));
  await expectWay(trace_id, ['gateway: POST /v1/employees/imports']);
  const names = new Set(receiver.spans.flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...names].filter((name) => !ATTRIBUTES.includes(name))).toEqual([]);
  const all = [...receiver.bytes.map((bytes) => bytes.toString('latin1')), JSON.stringify(lines)].join('\n');
  expect(all).not.toMatch(/planted/i);
  for (const key of keys) expect(all.includes(key)).toBe(false);
});

it('logs only the fields of the reference', async () => {
  const { requestId } = await importOf([R(1)]);
  await requestLine(requestId);
  const unlisted = lines.flatMap((line) => Object.keys(line).filter((field) => !Object.hasOwn(LOG_FIELDS, field)));
  expect([...new Set(unlisted)]).toEqual([]);
});

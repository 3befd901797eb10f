import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readEnvironment } from './environment.ts';
import { listenOn } from './listen.ts';
import { toolOf } from './tool.ts';
import { activeTraceIds, activeTraceparent } from './trace-context.ts';
import { openTraces } from './trace-export.ts';
import { traceSettings } from './trace-settings.ts';
import { Traces } from './traces.ts';

const REMOTE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const now = (): Promise<string> => Promise.resolve(activeTraceparent() ?? '');

describe('without an exporter', () => {
  const traces = new Traces();
  const inside = (): Promise<string> => traces.span('inside', { kind: 'client' }, now);

  it('gives work ids, and none outside it', async () => {
    expect(activeTraceIds()).toEqual({});
    const traceparent = await inside();
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(activeTraceparent()).toBeUndefined();
  });

  it('assigns nested work to the same trace in another span', async () => {
    const [outer, inner] = await traces.span('outside', { kind: 'internal' }, async () => [await now(), await inside()]);
    expect(inner?.slice(0, 35)).toBe(outer?.slice(0, 35));
    expect(inner).not.toBe(outer);
  });

  it('continues a remote trace', async () => {
    const within = await traces.span('here', { kind: 'consumer', parent: REMOTE }, now);
    expect(within.slice(0, 35)).toBe(REMOTE.slice(0, 35));
    expect(within).not.toBe(REMOTE);
  });

  it.each(['', 'planted', '00-00000000000000000000000000000000-b7ad6b7169203331-01', `${REMOTE}-more`])(
    'begins a trace when the header is malformed: %o',
    async (parent) => {
      const within = await traces.span('here', { kind: 'server', parent }, now);
      expect(within).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      expect(within.slice(0, 35)).not.toBe(REMOTE.slice(0, 35));
    },
  );

  it('does not add remote requests to the current trace', async () => {
    const [outer, arrived] = await traces.span('outside', { kind: 'internal' }, async () => [
      await now(),
      await traces.span('request', { kind: 'server' }, now),
    ]);
    expect(arrived?.slice(3, 35)).not.toBe(outer?.slice(3, 35));
  });
});

describe('an exporter', () => {
  const silent = createServer();
  const rejecting = createServer((_request, response) => response.writeHead(400).end());
  afterAll(() => {
    for (const collector of [silent, rejecting]) collector.close().closeAllConnections();
  });

  it('drops and counts spans that the collector rejects', async () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = `http://${await listenOn(rejecting, '127.0.0.1:0')}/`;
    const context = toolOf('test');
    const traces = await openTraces('test', { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_BSP_SCHEDULE_DELAY: 10 }, context);
    expect(await traces.span('lost', { kind: 'internal' }, now)).toMatch(/-01$/);
    await context.resources.disposeAsync();
    const [lost] = (await context.metrics.getSingleMetric('trace_spans_total')?.get())?.values ?? [];
    expect(lost).toMatchObject({ value: 1, labels: { outcome: 'dropped' } });
  });

  it('does not delay the stop when the collector is frozen', async () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = `http://${await listenOn(silent, '127.0.0.1:0')}`;
    const context = toolOf('test');
    const traces = await openTraces('test', { OTEL_EXPORTER_OTLP_ENDPOINT }, context);
    await traces.span('lost', { kind: 'internal' }, now);
    const begunAt = performance.now();
    await context.resources.disposeAsync();
    // The exporter's own timeout is ten seconds.
    expect(performance.now() - begunAt).toBeLessThan(9_000);
  });

  it.each([
    [{}, 0],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, 0],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, 0],
    [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, 0],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, 1],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/traces' }, 1],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, 0],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'always_off' }, 0],
  ])('%o keeps %i of one span', async (environment, kept) => {
    const traces = await openTraces('test', readEnvironment(traceSettings, environment), toolOf('test'));
    expect(await traces.span('one', { kind: 'internal' }, now)).toMatch(new RegExp(`-0${kept}$`));
  });

  it('keeps what its parent keeps, even at ratio 0', async () => {
    const environment = {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    };
    const traces = await openTraces('test', readEnvironment(traceSettings, environment), toolOf('test'));
    expect(await traces.span('one', { kind: 'server', parent: REMOTE }, now)).toMatch(/-01$/);
  });
});

it('rejects an invalid OpenTelemetry variable by name', () => {
  const environment = {
    OTEL_TRACES_EXPORTER: 'planted',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'planted',
    OTEL_TRACES_SAMPLER: 'planted',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  };
  const read = (): z.output<z.ZodObject<typeof traceSettings>> => readEnvironment(traceSettings, environment);
  for (const name of Object.keys(environment)) expect(read).toThrow(name);
  expect(read).not.toThrow('planted');
});

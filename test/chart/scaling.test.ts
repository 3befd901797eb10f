import { CONSUMERS } from '@survey/bus/streams.ts';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { kinds } from './look.ts';
import { combinations, render } from '../support/chart/render.ts';
import { renderOf } from '../support/chart/rendered.ts';

const triggers = z.array(
  z.object({
    type: z.literal('nats-jetstream'),
    metadata: z.object({ natsServerMonitoringEndpoint: z.string(), stream: z.string(), consumer: z.string() }),
  }),
);
const STABLE_SECONDS = 300;
const { helm3 } = inject('tools');

describe.skipIf(helm3 === undefined)('scaling', async () => {
  const files = helm3 === undefined ? [] : await combinations();
  const renders = await Promise.all(files.map(async (file) => ({ file, ...renderOf(await render({ values: [file] })) })));

  test('scales readers by CPU use: up at once, down after 5 minutes', () => {
    const scalers = renders.flatMap((rendered) => kinds(rendered, 'HorizontalPodAutoscaler'));
    expect(scalers.length).toBeGreaterThan(5);
    for (const { spec } of scalers) {
      expect(spec?.['behavior']).toMatchObject({
        scaleUp: { stabilizationWindowSeconds: 0 },
        scaleDown: { stabilizationWindowSeconds: STABLE_SECONDS },
      });
      expect(spec?.['metrics']).toContainEqual(expect.objectContaining({ type: 'Resource' }));
    }
  });

  test('scales workers by the lag of existing consumers and keeps their number when NATS does not respond', () => {
    const scalers = renders.flatMap((rendered) => kinds(rendered, 'ScaledObject'));
    expect(scalers.length).toBeGreaterThan(3);
    for (const { spec } of scalers) {
      const read = triggers.parse(spec?.['triggers']).map(({ metadata: { stream, consumer } }) => ({ stream, consumer }));
      const there = Object.entries(CONSUMERS).map(([consumer, { stream }]) => ({ stream, consumer }));
      expect(there).toEqual(expect.arrayContaining(read));
      expect(spec?.['fallback']).toMatchObject({ failureThreshold: 3, behavior: 'currentReplicasIfHigher' });
    }
  });

  test('reads the lag at a headless service, because the scaler queries each server by name', () => {
    for (const rendered of renders)
      for (const { spec } of kinds(rendered, 'ScaledObject'))
        for (const { metadata } of triggers.parse(spec?.['triggers'])) {
          const [host = '', port] = metadata.natsServerMonitoringEndpoint.split(':');
          const own = kinds(rendered, 'Service').find(({ metadata: { name } }) => host.startsWith(`${name}.`));
          const isHeadless = own === undefined ? host.includes('-headless.') : own.spec?.['clusterIP'] === 'None';
          expect({ file: rendered.file, host, port, isHeadless }).toMatchObject({ port: '8222', isHeadless: true });
        }
  });

  test('keeps at least one pod of every worker, because other services call it', () => {
    const fewest = renders.flatMap((rendered) => kinds(rendered, 'ScaledObject').map(({ spec }) => spec?.['minReplicaCount']));
    expect(fewest.filter((count) => !(Number(count) >= 1))).toEqual([]);
  });
});

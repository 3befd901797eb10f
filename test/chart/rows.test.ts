import { describe, expect, inject, test } from 'vitest';
import { combinations, render } from './render.ts';
import { renderOf, type Render } from './rendered.ts';
import { ROWS } from './rows.ts';

const { helm3 } = inject('tools');

// All of them hold for all things of every render: 100 % of each row.
describe.skipIf(helm3 === undefined)('the checklist', async () => {
  const files = helm3 === undefined ? [] : await combinations();
  const renders = new Map<string, Render>(
    await Promise.all(files.map(async (file) => [file, renderOf(await render({ values: [file] }))] as const)),
  );

  test.each(ROWS)('$name', ({ look }) => {
    const looks = [...renders].flatMap(([file, rendered]) =>
      look(rendered).map(({ at, fault }) => ({ at: `${file}: ${at}`, fault })),
    );
    expect(looks.filter(({ fault }) => fault !== undefined)).toEqual([]);
    expect(looks.length).toBeGreaterThan(0);
  });

  test.each([
    [
      'an image of nobody knows when',
      'images are pinned, and helpers are our own image',
      (text: string) => text.replaceAll(/survey:\d[^"]*/g, 'survey:latest'),
    ],
    [
      'a root file system to write to',
      'the root file system is read-only, and what is written has a limit',
      (text: string) => text.replaceAll('"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false'),
    ],
    ['liveness that is readiness', 'three probes, none like another', (text: string) => text.replaceAll('/livez', '/readyz')],
    [
      'a missing request',
      'everything asks for what it needs; the memory limit is the request',
      (text: string) => text.replaceAll('"ephemeral-storage"', '"storage"'),
    ],
    [
      'a token',
      'each component has a service account of its own, without a token',
      (text: string) => text.replaceAll('"automountServiceAccountToken":false', '"automountServiceAccountToken":true'),
    ],
    [
      'a label that is missing',
      'every object has the seven labels and its namespace',
      (text: string) => text.replaceAll('app.kubernetes.io/part-of', 'part-of'),
    ],
    [
      'a short grace',
      'the kubelet waits longer than the service takes to stop',
      (text: string) => text.replaceAll('"terminationGracePeriodSeconds":40', '"terminationGracePeriodSeconds":20'),
    ],
    [
      'a heap without a limit',
      'the heap is a share of the memory',
      (text: string) => text.replaceAll('--max-old-space-size-percentage', '--max-old-space-size'),
    ],
  ])('finds %s', (_, row, spoil) => {
    const { manifests } = renders.get('profiles/small.yaml') ?? renderOf([]);
    const spoilt = renderOf(JSON.parse(spoil(JSON.stringify(manifests))));
    const faults = ROWS.filter(({ name }) => name.startsWith(row)).flatMap(({ look }) =>
      look(spoilt).filter(({ fault }) => fault),
    );
    expect(faults).not.toEqual([]);
  });
});

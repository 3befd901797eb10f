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
    ['an image of nobody knows when', 'S5', (text: string) => text.replaceAll(/survey:\d[^"]*/g, 'survey:latest')],
    [
      'a root file system to write to',
      'S2',
      (text: string) => text.replaceAll('"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false'),
    ],
    ['liveness that is readiness', 'A2', (text: string) => text.replaceAll('/livez', '/readyz')],
    ['a missing request', 'A8', (text: string) => text.replaceAll('"ephemeral-storage"', '"storage"')],
    [
      'a token',
      'S3',
      (text: string) => text.replaceAll('"automountServiceAccountToken":false', '"automountServiceAccountToken":true'),
    ],
    ['a label that is missing', 'C7', (text: string) => text.replaceAll('app.kubernetes.io/part-of', 'part-of')],
    [
      'a short grace',
      'A5',
      (text: string) => text.replaceAll('"terminationGracePeriodSeconds":40', '"terminationGracePeriodSeconds":20'),
    ],
    [
      'a heap without a limit',
      'A9',
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

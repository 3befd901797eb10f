import { describe, expect, inject, test } from 'vitest';
import { combinations, render } from '../support/chart/render.ts';
import { renderOf, type Render } from '../support/chart/rendered.ts';
import { ROWS } from './rows.ts';

const { helm3 } = inject('tools');

// Every row must hold for every object of every render.
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
      'an unpinned image',
      'every image is pinned, and only stores do not use the product image',
      (text: string) => text.replaceAll(/survey:\d[^"]*/g, 'survey:latest'),
    ],
    [
      'a writable root file system',
      'every root file system is read-only and every emptyDir has a size limit',
      (text: string) => text.replaceAll('"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false'),
    ],
    [
      'equal liveness and readiness probes',
      'every container has three probes with different checks',
      (text: string) => text.replaceAll('/livez', '/readyz'),
    ],
    [
      'a missing request',
      'every container has requests and a memory limit equal to its request',
      (text: string) => text.replaceAll('"ephemeral-storage"', '"storage"'),
    ],
    [
      'a service account token',
      'every component has its own service account without a token',
      (text: string) => text.replaceAll('"automountServiceAccountToken":false', '"automountServiceAccountToken":true'),
    ],
    [
      'a missing label',
      'every object has the seven labels and a namespace',
      (text: string) => text.replaceAll('app.kubernetes.io/part-of', 'part-of'),
    ],
    [
      'a label of another release',
      'every object has the seven labels and a namespace',
      (text: string) => text.replaceAll('"app.kubernetes.io/instance":"survey"', '"app.kubernetes.io/instance":"other"'),
    ],
    [
      'a Service without pods',
      'every Service selects the pods of one component',
      (text: string) =>
        text.replaceAll('"selector":{"app.kubernetes.io/name":"survey"', '"selector":{"app.kubernetes.io/name":"other"'),
    ],
    [
      'a pod of another component',
      'pods are of the component of their workload',
      (text: string) => text.replace(/("template":\{"metadata":\{"labels":\{[^}]*component":")[a-z-]+/, '$1other'),
    ],
    [
      'a short termination grace period',
      'the termination grace period exceeds the shutdown time by at least 10 s',
      (text: string) => text.replaceAll('"terminationGracePeriodSeconds":40', '"terminationGracePeriodSeconds":20'),
    ],
    [
      'a heap without a limit',
      'the maximum heap size is a share of the memory limit',
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

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MANAGED_HOSTS, parseManifests } from '../support/chart/render.ts';
import { runTool } from '../support/chart/run-tool.ts';

const { helm3 } = inject('tools');

// `helm template` omits the notes and `helm install` needs a cluster, so a copy of the chart
// renders them as a ConfigMap.
describe.skipIf(helm3 === undefined)('the installation notes', () => {
  let chart = '';
  beforeAll(async () => {
    chart = await mkdtemp(join(tmpdir(), 'survey-notes-'));
    await cp(inject('chart'), chart, { recursive: true });
    const notes = await readFile(join(chart, 'templates/NOTES.txt'), 'utf8');
    await writeFile(join(chart, 'templates/_notes.tpl'), `{{ define "notes" }}${notes}{{ end }}`);
    const object =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: notes }\ndata: { notes: {{ include "notes" . | toJson }} }\n';
    await writeFile(join(chart, 'templates/notes.yaml'), object);
  });
  afterAll(() => rm(chart, { recursive: true, force: true }));

  const notesOf = async (file: string, ...set: string[]): Promise<string> => notesIn(['metrics.k8s.io/v1beta1'], file, ...set);

  const notesIn = async (apis: readonly string[], file: string, ...set: string[]): Promise<string> => {
    const offered = apis.flatMap((api) => ['--api-versions', api]);
    const given = ['--values', join(chart, file), ...offered, ...set.flatMap((assignment) => ['--set', assignment])];
    const args = [
      'template',
      'first',
      chart,
      '--namespace',
      'there',
      '--kube-version',
      '1.33.0',
      '--set',
      'crds.assume=true',
      ...given,
    ];
    const { code, stdout, stderr } = await runTool(helm3 ?? '', [...args, '--show-only', 'templates/notes.yaml']);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return parseManifests(stdout)[0]?.data?.['notes'] ?? '';
  };

  test('explain how to reach and test the release, and what is not fit for production', async () => {
    const notes = await notesOf('profiles/small.yaml');
    expect(notes).toContain('helm -n there test first');
    expect(notes).toContain('kubectl -n there port-forward service/first-survey-gateway 8080');
    expect(notes).toMatch(/WARNING: PostgreSQL, NATS and Redis are bundled/);
    expect(notes).toMatch(/keeps their volumes/);
    expect(notes).toMatch(/WARNING: services with a single pod.*gateway/);
    expect(notes).toMatch(/WARNING: the release does not terminate TLS/);
    expect(notes).toMatch(/WARNING: import summaries .* lost with the pod/);
  });

  test('contain no warning for a production setup', async () => {
    const route = ['gatewayApi.enabled=true', 'gatewayApi.hostnames[0]=api.example.org', 'gatewayApi.parentRefs[0].name=edge'];
    const notes = await notesOf('profiles/ha.yaml', ...route);
    expect(notes).toContain('https://api.example.org/docs');
    expect(notes.match(/WARNING.*/g)).toEqual([expect.stringContaining('mails are sent from survey@example.org')]);
    expect(await notesOf('profiles/ha.yaml', ...route, 'smtp.from=survey@customer.test')).not.toMatch(/WARNING/);
  });

  test('say what the profile of managed stores does not watch', async () => {
    expect(await notesOf('profiles/managed.yaml', ...MANAGED_HOSTS)).toContain('Not watched: backups of PostgreSQL');
    expect(await notesOf('profiles/ha.yaml')).not.toContain('Not watched');
  });

  test('warn when network policies are disabled', async () => {
    expect(await notesOf('profiles/ha.yaml', 'networkPolicy.enabled=false')).toMatch(/WARNING: network policies are disabled/);
  });

  test('warn when a metrics server is absent', async () => {
    const notes = await notesIn([], 'profiles/ha.yaml', 'crds.assume=true');
    expect(notes).toMatch(/WARNING: the cluster has no metrics server.*: export, gateway, scoring-anonymity/);
  });
});

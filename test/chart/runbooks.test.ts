import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BUS_USERS } from '@survey/bus/permissions.ts';
import { MAX_LOCK_WAIT_MS } from '@survey/postgres/migrate.ts';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const RUNBOOKS = new URL('../../docs/runbooks/', import.meta.url);
const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
const files = readdirSync(RUNBOOKS).filter((file) => file.endsWith('.md'));
const blocks = files.flatMap((file) =>
  [...readFileSync(new URL(file, RUNBOOKS), 'utf8').matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, kind = '', text = '']) => ({
    file,
    kind,
    text,
  })),
);

test('every operator task has a runbook', () => {
  const wanted = [
    'install',
    'upgrade',
    'rollback',
    'scale',
    'drain-a-node',
    'rotate-secrets',
    'restore',
    'lose-a-nats-node',
    'lose-redis',
  ];
  const more = ['database-failover', 'stuck-import', 'poison-message', 'account-offboarding'];
  expect(files).toEqual(expect.arrayContaining([...wanted, ...more].map((name) => `${name}.md`)));
});

// What an operator reads until the first pod.
test('an installation takes at most 6,000 words, and one with managed stores 500', () => {
  const wordsIn = (file: string): number => readFileSync(new URL(file, RUNBOOKS), 'utf8').split(/\s+/).length;
  const examples = ['cert-manager', 'store-certificates', 'cloudnative-pg', 'redis', 'nats-values'];
  const chart = ['../../charts/survey/README.md', '../../charts/survey/profiles/ha.yaml'];
  const read = [
    '../operating.md',
    'README.md',
    'install.md',
    ...chart,
    ...examples.map((name) => `../../deploy/examples/${name}.yaml`),
  ];
  expect(read.reduce((words, file) => words + wordsIn(file), 0)).toBeLessThanOrEqual(6_000);
  expect(wordsIn('install-managed.md')).toBeLessThanOrEqual(500);
});

test('every code block contains only surveyctl commands or SQL, or is labelled needs-cluster', () => {
  const others = blocks.filter(
    ({ kind, text }) =>
      !/^(sql|sh needs-cluster( helm[34])?)$/.test(kind) && !(kind === 'sh' && /^(surveyctl .*\n)+$/.test(text)),
  );
  expect(others).toEqual([]);
});

// kubectl reads one pod of a Deployment, and by default ten lines of each pod of a selector.
test('every log command reads all pods of a selector with an explicit --tail', () => {
  const reads = blocks.flatMap(({ text }) => text.split('\n')).filter((line) => / logs /.test(line));
  expect(reads.length).toBeGreaterThan(10);
  expect(reads.filter((line) => !/ logs (POD |-l \S+ .*--tail=)/.test(line))).toEqual([]);
});

test('nats-box connects as a user with an inbox of its own, to a name that the certificate has, and may use the API', () => {
  const lines = blocks.flatMap(({ text }) => text.split('\n')).filter((line) => line.includes('deploy/nats-box'));
  expect(lines).toHaveLength(2);
  const certificates = readFileSync(new URL('../../deploy/examples/store-certificates.yaml', import.meta.url), 'utf8');
  const users: Readonly<Record<string, { readonly publish: readonly string[] }>> = BUS_USERS;
  for (const line of lines) {
    const {
      host = '',
      user = '',
      inbox = '',
    } = /--server nats:\/\/(?<host>[^:]+):4222 --tlsca \/etc\/nats-ca-cert\/ca.crt --user (?<user>\S+) .*--inbox-prefix (?<inbox>\S+)/.exec(
      line,
    )?.groups ?? {};
    expect(certificates).toContain(host);
    expect(inbox).toBe(`_INBOX.${user}`);
    expect(users[user]?.publish).toContain('$JS.API.>');
  }
});

test('facts are replayed from the NATS that the profile of the runbook names', () => {
  const profile = readFileSync(new URL('../../charts/survey/profiles/ha.yaml', import.meta.url), 'utf8');
  const urls = blocks.flatMap(({ file, text }) =>
    [...text.matchAll(/--nats "(?<scheme>\S+):\/\/prepare:\S+@(?<host>[^:]+):4222"/g)].map(({ groups }) => ({ file, ...groups })),
  );
  const ofProfile = /host: (nats\S+)/.exec(profile)?.[1];
  expect(urls).toEqual([
    { file: 'database-failover.md', scheme: 'tls', host: ofProfile },
    // For bundled stores.
    { file: 'restore.md', scheme: 'nats', host: 'survey-nats' },
  ]);
});

test('Helm waits longer than the job may take, which waits longer than a migration does', () => {
  const figureIn = (template: string, pattern: RegExp): number =>
    Number(pattern.exec(readFileSync(new URL(`../../charts/survey/templates/${template}`, import.meta.url), 'utf8'))?.[1]);
  const waitSeconds = figureIn('_prepare.tpl', /WAIT_SECONDS\n *value: '(\d+)'/);
  const deadline = figureIn('prepare-job.yaml', /activeDeadlineSeconds: (\d+)/);
  expect(deadline).toBeGreaterThan(waitSeconds + MAX_LOCK_WAIT_MS / 1_000);
  const upgrades = blocks
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => / upgrade .*charts\/survey .*--wait/.test(line));
  expect(upgrades.length).toBeGreaterThan(5);
  for (const line of upgrades) {
    expect({ line, seconds: 60 * Number(/--timeout (\d+)m/.exec(line)?.[1]) }).toEqual({ line, seconds: 3_000 });
    expect(3_000).toBeGreaterThan(deadline + 300);
    // Values are the files in Git: those of a failed upgrade would come back otherwise.
    expect(line).toMatch(/--values charts\/survey\/profiles\/\w+.yaml --values my-values.yaml/);
  }
  expect(blocks.filter(({ text }) => /reuse-values|get values/.test(text))).toEqual([]);
});

const commands = [...new Set(blocks.filter(({ kind }) => kind === 'sh').flatMap(({ text }) => text.trim().split('\n')))];

test.each(commands)('%s is a surveyctl command with existing options', async (command) => {
  const words = command.split(' ').slice(1);
  const [name = ''] = /^[a-z][a-z-]*( [a-z][a-z-]*)*/.exec(words.join(' ')) ?? [];
  const options = words.filter((word) => word.startsWith('--'));
  const { stdout } = await run(process.execPath, [SURVEYCTL, ...name.split(' '), '--help']);
  expect(stdout).toContain(`surveyctl ${name}`);
  expect(options.filter((option) => !stdout.includes(`${option} `))).toEqual([]);
});

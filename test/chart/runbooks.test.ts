import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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

const commands = [...new Set(blocks.filter(({ kind }) => kind === 'sh').flatMap(({ text }) => text.trim().split('\n')))];

test.each(commands)('%s is a surveyctl command with existing options', async (command) => {
  const words = command.split(' ').slice(1);
  const [name = ''] = /^[a-z][a-z-]*( [a-z][a-z-]*)*/.exec(words.join(' ')) ?? [];
  const options = words.filter((word) => word.startsWith('--'));
  const { stdout } = await run(process.execPath, [SURVEYCTL, ...name.split(' '), '--help']);
  expect(stdout).toContain(`surveyctl ${name}`);
  expect(options.filter((option) => !stdout.includes(`${option} `))).toEqual([]);
});

import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Stack } from '@survey/local/stack-file.ts';
import { OrdinaryUser } from './ordinary-user.ts';

// Runs the README in a fresh clone of HEAD as an ordinary user: starts the stack, runs every other
// line, and stops it.

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('../..', import.meta.url));
// The installation of the dependencies included.
const START_TIMEOUT_MS = 420_000;
// Covered by this program and by `npm test`.
const RUN_ELSEWHERE = new Set(['npm start', 'npm test']);

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-readme-'));
  const clone = join(folder, 'clone');
  await run('git', ['clone', '--quiet', HERE, clone]);
  await using user = await OrdinaryUser.create(folder);
  const launcher = await user.spawn('exec npm start', clone);
  launcher.stdout?.pipe(process.stdout);
  // Every step then fails soon, and the rest of this function cleans up.
  process.once('SIGTERM', () => launcher.kill('SIGTERM'));
  try {
    const gatewayUrl = await untilDemoIsThere(clone, launcher);
    await runLines(user, clone, await readmeLines(clone));
    await untilTopicsAreFound(clone);
    await stopAndExpectSilence(launcher, gatewayUrl);
  } finally {
    // A user with processes cannot be deleted.
    if (launcher.exitCode === null && launcher.signalCode === null) {
      launcher.kill('SIGTERM');
      await once(launcher, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  }
}

async function untilDemoIsThere(clone: string, launcher: ChildProcess): Promise<string> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (launcher.exitCode !== null) throw new Error(`npm start ended with exit code ${launcher.exitCode}`);
    const stack = await readStack(clone);
    if (stack?.demo !== undefined && (await isThere(join(clone, '.local/snapshot.json')))) return stack.gateway_url;
    await sleep(200);
  }
  throw new Error(`npm start made no demo account within ${START_TIMEOUT_MS / 1_000} s`);
}

// Events may be printed after the HTTP responses.
async function untilTopicsAreFound(clone: string): Promise<void> {
  const stack = await readStack(clone);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const headers = { 'X-Api-Key': stack?.demo?.read_key ?? '' };
    const answer = await fetch(`${stack?.gateway_url}/v1/text_responses?limit=100`, { headers });
    if (/"topics":\[\{"name":/.test(await answer.text())) return;
    await sleep(200);
  }
  throw new Error('the demo shows no topics');
}

async function readStack(clone: string): Promise<Stack | undefined> {
  try {
    // The launcher writes one JSON object.
    return JSON.parse(await readFile(join(clone, '.local/stack.json'), 'utf8')) as Stack;
  } catch {
    return undefined;
  }
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function readmeLines(clone: string): Promise<string[]> {
  const readme = await readFile(join(clone, 'README.md'), 'utf8');
  const fences = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const blocks = fences.filter(([, label]) => label === '').map(([, , block = '']) => block.trim());
  const lines = blocks.filter((block) => !RUN_ELSEWHERE.has(block));
  if (lines.length === 0) throw new Error('the README has no commands: is it still written in fenced blocks?');
  return lines;
}

async function runLines(user: OrdinaryUser, clone: string, blocks: readonly string[]): Promise<void> {
  // curl -f: a 4xx or 5xx response fails the line.
  const script = ['set -euo pipefail', ...blocks].join('\n').replaceAll('curl -s', 'curl -sf');
  const lines = await user.spawn(script, clone);
  const [stdout, [code]] = await Promise.all([lines.stdout ? text(lines.stdout) : '', once(lines, 'exit')]);
  if (code !== 0) throw new Error(`the README's lines failed with exit code ${code}:\n${stdout.slice(-2_000)}`);
  for (const [what, shows] of Object.entries({
    'an export': /"total_count":\d{4}/,
    'free-text answers': /"responses":\[\{"text":/,
    'a dry run': /would be applied: 1 created/,
    'an accepted import': /"import_uuid":"[0-9a-f-]{36}"/,
    'the list of imports': /applied|accepted/,
  })) {
    if (!shows.test(stdout)) throw new Error(`the README's lines show no ${what}:\n${stdout.slice(-2_000)}`);
  }
}

async function stopAndExpectSilence(launcher: ChildProcess, gatewayUrl: string): Promise<void> {
  launcher.kill('SIGTERM');
  await once(launcher, 'exit');
  const stillThere = await fetch(gatewayUrl).then(
    () => true,
    () => false,
  );
  if (stillThere) throw new Error('the gateway answers after npm start was stopped');
}

await main();

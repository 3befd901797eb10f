// Runs a TypeScript file of this repository on the Node that the repository pins. Needs Node 20 and
// nothing installed. SCRIPT.ts is relative to the repository's root:
//   node deploy/local/run.mjs SCRIPT.ts [arguments]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(root, 'node_modules', 'node', 'bin', 'node');
const stamp = join(root, 'node_modules', '.survey-installed');
const PROGRESS_EVERY_MS = 10_000;

const [script, ...args] = process.argv.slice(2);
if (script === undefined) fail('which script? node deploy/local/run.mjs SCRIPT.ts [arguments]');
if (Number.parseInt(process.versions.node, 10) < 20) fail(`Node 20 or later is needed, this is ${process.versions.node}`);
showUsage();
const wanted = fingerprint();
if (!existsSync(node) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) await install();
runScript();

// Before anything is installed. Other scripts print their help themselves.
function showUsage() {
  const usage = resolve(root, script.replace(/\.ts$/, '.txt'));
  if (!existsSync(usage)) return;
  if (args.includes('--help') || args.includes('-h')) process.stdout.write(readFileSync(usage));
  else if (args.includes('--version'))
    process.stdout.write(`${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`);
  else return;
  process.exit(0);
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${root}`);
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

async function install() {
  const started = Date.now();
  const pnpm = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager.split('+')[0];
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)} s`;
  const { isTTY } = process.stderr;
  const say = (text) => process.stderr.write(isTTY ? `\r\u001B[K${text}` : `${text}\n`);
  say(`installing dependencies with ${pnpm}`);
  const progress = setInterval(() => say(`installing dependencies with ${pnpm}: ${seconds()}`), isTTY ? 200 : PROGRESS_EVERY_MS);
  // CI: pnpm asks nobody anything.
  const child = spawn('npx', ['--yes', pnpm, 'install', '--frozen-lockfile'], { cwd: root, env: { ...process.env, CI: 'true' } });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const code = await new Promise((done) => child.once('close', done).once('error', (error) => output.push(`${error}\n`)));
  clearInterval(progress);
  if (isTTY) say('');
  if (code !== 0)
    fail(`${Buffer.concat(output.map((chunk) => Buffer.from(chunk))).toString()}\ndependencies could not be installed`);
  writeFileSync(stamp, wanted);
  process.stderr.write(`dependencies installed in ${seconds()}\n`);
}

function runScript() {
  const env = {
    // Compiling takes half of a service's start.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    ...process.env,
    PATH: `${join(root, 'node_modules', 'node', 'bin')}${delimiter}${process.env.PATH ?? ''}`,
  };
  // The channel closes when this process ends, however it ends, so that the script can stop, too.
  const child = spawn(node, [resolve(root, script), ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  // This process ends only after the script. It passes on one signal, because Ctrl-C in a terminal
  // reaches the script by itself, and npm sends the same signal again.
  let told = false;
  const tell = (signal) => {
    if (!told && child.exitCode === null) child.kill(signal);
    told = true;
  };
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => tell(signal));
  process.on('SIGINT', () => (process.stdin.isTTY ? (told = true) : tell('SIGINT')));
  // npm killed outright tells nobody: its script would run on unseen.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === parent || tell('SIGTERM'), 1_000).unref();
  child.once('error', (error) => fail(String(error)));
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Runs the tests of one folder for each small change to its files, all in one process, because a
// test runner takes longer to start than these tests take. Prints the changes that none notices and
// exits with 1 for more than a few: node tools/mutate-in-process.ts FOLDER FILE…

const ROOT = join(import.meta.dirname, '..');
const INSTRUMENTER = join(ROOT, '.local/stryker/node_modules/@stryker-mutator/instrumenter/dist/src');
// Lists that take long to read, and that no change to another file changes.
const LOADED_ONCE = /\/(name-lists|word-table|read-list)\.ts$/;
// Words and patterns are data: the evaluation on labelled texts judges what they find.
const DATA = ['StringLiteral', 'Regex'];
// Sentences that are generated in languages, also tests of masking.
const MORE_TESTS = 'tools/text/masking';
// What counts that a mutant is run.
const COVERED = /(?<!function )stryCov_\w+\([^)]*\)/g;
// More is a loop that does not end.
const MAX_HITS = 1_000_000;
const STUCK_MS = 60_000;
// Tests with generated sentences take longer, and would run for every change that no other notices.
const MAX_TEST_MS = 500;
const MAX_UNNOTICED = 0.05;
// When a test last noticed a change: it probably notices the next one, which is beside it.
const noticedAt = new Map<number, number>();
const slow = new Set<number>();

interface Place {
  readonly line: number;
  readonly column: number;
}

interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly replacement: string;
  readonly status?: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Stryker {
  activeMutant?: string | undefined;
  // Throws once the active mutant ran so often.
  hitCount?: number;
  hitLimit?: number;
  currentTestId?: string | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

interface Test {
  readonly run: () => unknown;
}

const [folder = '', ...files] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const skipped = new Set(
  process.argv
    .find((argument) => argument.startsWith('--skip='))
    ?.slice(7)
    .split(','),
);
if (process.argv.includes('--child')) await runEach();
else await watch();

// Starts again without the mutant that does not end.
async function watch(): Promise<void> {
  const [stuck, noticed, survived]: [string[], string[], string[]] = [[], [], []];
  for (let ended = false; !ended;) {
    const done = [...stuck, ...noticed, ...survived];
    const child = spawn(process.execPath, [import.meta.filename, '--child', `--skip=${done.join(',')}`, folder, ...files], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let current: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      clearTimeout(timer);
      const [what, id = ''] = line.split(' ');
      if (what === 'begin') {
        current = id;
        timer = setTimeout(() => child.kill('SIGKILL'), STUCK_MS);
      } else if (what === 'noticed') noticed.push(id);
      else if (what === 'survived') survived.push(id);
      else if (what === 'end') ended = true;
      if (what !== 'begin' && what !== 'noticed') console.log(line);
    }
    clearTimeout(timer);
    if (ended) continue;
    if (current === undefined) throw new Error('cannot run the tests without a change');
    stuck.push(current);
  }
  const all = stuck.length + noticed.length + survived.length;
  if (survived.length > MAX_UNNOTICED * all) process.exitCode = 1;
  console.log(`${all - survived.length} of ${all} changes noticed, ${stuck.length} by their time`);
}

async function runEach(): Promise<void> {
  const { Instrumenter } = (await import(pathToFileURL(join(INSTRUMENTER, 'index.js')).href)) as {
    Instrumenter: new (logger: unknown) => {
      instrument(files: unknown, options: unknown): Promise<{ files: { name: string; content: string }[]; mutants: Mutant[] }>;
    };
  };
  const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
  const named = files.map((file) => join(ROOT, file));
  const { files: changed, mutants } = await new Instrumenter(silent).instrument(
    named.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') })),
    { excludedMutations: DATA, ignorers: [], plugins: null, noHeader: false },
  );
  const sources = new Map(changed.map(({ name, content }) => [name, stripTypeScriptTypes(content, { mode: 'transform' })]));
  const load = loader(sources);
  const stryker: Stryker = { hitLimit: MAX_HITS };
  Object.assign(globalThis, { __stryker__: stryker });
  const coverage = await coverageOf(await load(), stryker);
  // Counting takes most of the time.
  for (const [name, source] of sources) sources.set(name, source.replaceAll(COVERED, '0'));
  const tests = await load();
  for (const mutant of mutants) {
    if (mutant.status === 'Ignored' || skipped.has(mutant.id)) continue;
    console.log(`begin ${mutant.id}`);
    const noticed = await isNoticed(mutant, tests, load, stryker, coverage);
    console.log(noticed ? `noticed ${mutant.id}` : `survived ${mutant.id} ${describeChange(mutant)}`);
  }
  console.log('end');
}

// Returns the place, and what differs, with a few characters around it.
function describeChange({ fileName, replacement, location: { start, end } }: Mutant): string {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1);
  lines.push((lines.pop() ?? '').slice(0, end.column));
  const original = lines.join('\n').slice(start.column);
  const shorter = Math.min(original.length, replacement.length);
  let [before, after] = [0, 0];
  while (before < shorter && original[before] === replacement[before]) before += 1;
  while (after < shorter - before && original.at(-1 - after) === replacement.at(-1 - after)) after += 1;
  const part = (text: string): string =>
    text.slice(Math.max(0, before - 12), Math.min(text.length, text.length - after + 12)).replaceAll(/\s+/g, ' ');
  return `${fileName.slice(ROOT.length + 1)}:${start.line + 1}: ${part(original)} became ${part(replacement)}`;
}

// Returns a function that loads the tests and all that they use anew.
function loader(sources: ReadonlyMap<string, string>): () => Promise<Test[]> {
  const homes = [folder, MORE_TESTS].map((home) => pathToFileURL(join(ROOT, home)).href);
  const isIn = (url: string): boolean => homes.some((home) => url.startsWith(home));
  const stripped = new Map<string, string>();
  let turn = 0;
  let collected: Test[] = [];
  Object.assign(globalThis, { vitestStandIn: standIn((test) => collected.push(test)) });
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'vitest') return { url: 'stand-in:vitest', shortCircuit: true };
      const resolved = next(specifier, context);
      const isOurs = isIn(resolved.url) && (!LOADED_ONCE.test(resolved.url) || sources.has(fileURLToPath(resolved.url)));
      return isOurs ? { ...resolved, url: `${resolved.url}?${turn}`, shortCircuit: true } : resolved;
    },
    load(url, context, next) {
      if (url === 'stand-in:vitest')
        return {
          format: 'module',
          shortCircuit: true,
          source: 'export const { describe, test, it, expect, beforeEach, afterEach } = globalThis.vitestStandIn;',
        };
      if (!isIn(url)) return next(url, context);
      const file = fileURLToPath(url.split('?')[0] ?? '');
      const source = sources.get(file) ?? stripped.get(file) ?? stripTypeScriptTypes(readFileSync(file, 'utf8'));
      stripped.set(file, source);
      return { format: 'module', shortCircuit: true, source };
    },
  });
  const isTest = (file: string): boolean => file.endsWith('.test.ts') && !/(property|recogniser)[./]/.test(file);
  const tests = [folder, MORE_TESTS].flatMap((home) =>
    readdirSync(join(ROOT, home), { recursive: true, encoding: 'utf8' })
      .filter(isTest)
      .map((file) => pathToFileURL(join(ROOT, home, file)).href),
  );
  return async () => {
    turn += 1;
    collected = [];
    for (const file of tests) await import(file);
    return collected;
  };
}

type Coverage = ReadonlyMap<string, readonly number[]>;

// By mutant, the tests that run its code; a mutant that is missing runs while modules are loaded.
async function coverageOf(tests: readonly Test[], stryker: Stryker): Promise<Coverage> {
  for (const [at, test] of tests.entries()) {
    stryker.currentTestId = String(at);
    const before = process.cpuUsage();
    await test.run();
    if (process.cpuUsage(before).user > MAX_TEST_MS * 1_000) slow.add(at);
  }
  stryker.currentTestId = undefined;
  const covering = new Map<string, number[]>();
  const { static: always = {}, perTest = {} } = stryker.mutantCoverage ?? {};
  for (const [at, ids] of Object.entries(perTest))
    for (const id of Object.keys(ids)) if (always[id] === undefined) covering.set(id, [...(covering.get(id) ?? []), Number(at)]);
  for (const id of Object.keys(always)) covering.delete(id);
  return covering;
}

async function isNoticed(
  { id }: Mutant,
  tests: readonly Test[],
  load: () => Promise<Test[]>,
  stryker: Stryker,
  coverage: Coverage,
): Promise<boolean> {
  // Only a change that runs while modules are loaded needs them loaded anew.
  const isStatic = stryker.mutantCoverage?.static[id] !== undefined;
  const covering = (coverage.get(id) ?? []).toSorted((one, other) => (noticedAt.get(other) ?? 0) - (noticedAt.get(one) ?? 0));
  stryker.activeMutant = id;
  let current = -1;
  try {
    const loaded = isStatic ? await load() : tests;
    for (const at of isStatic ? loaded.keys() : covering) {
      if (slow.has(at)) continue;
      current = at;
      stryker.hitCount = 0;
      await loaded[at]?.run();
    }
    return false;
  } catch {
    noticedAt.set(current, Number(id));
    return true;
  } finally {
    stryker.activeMutant = undefined;
  }
}

// What the tests use of vitest.
function standIn(collect: (test: Test) => void): object {
  const test = (_: string, run: () => unknown): void => collect({ run });
  test.each =
    (rows: readonly unknown[]) =>
    (name: string, run: (...row: unknown[]) => unknown): void => {
      for (const row of rows) test(name, () => run(...(Array.isArray(row) ? row : [row])));
    };
  const insist = (is: boolean): void => {
    if (!is) throw new Error('not as expected');
  };
  const expect = (value: unknown, isNot = false): object => {
    const that = (is: boolean): void => insist(is !== isNot);
    return {
      get not() {
        return expect(value, !isNot);
      },
      toBe: (other: unknown) => that(Object.is(value, other)),
      toEqual: (other: unknown) => that(isDeepStrictEqual(value, other)),
      toBeUndefined: () => that(value === undefined),
      toBeGreaterThan: (other: number) => that(Number(value) > other),
      toBeLessThan: (other: number) => that(Number(value) < other),
      toContain: (other: unknown) => that((value as unknown[]).includes(other)),
    };
  };
  const describe = (_: string, tests: () => void): void => tests();
  describe.each = (rows: readonly unknown[]) => (_: string, tests: (row: unknown) => void) => rows.forEach((row) => tests(row));
  return { describe, test, it: test, expect };
}

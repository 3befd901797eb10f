import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

// Prints how the sources are divided: whether a task stays in its folder, and how many files one
// must open to follow it. It forbids nothing, because it shows how we look and not what we want.
// node tools/measure-house.ts

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(Boolean);
const isOwn = (file: string): boolean =>
  /^(packages|clients|services)\/.*\.ts$/.test(file) && !/\/gen\/|\.test\.ts$|tsup\.config/.test(file);
const sources = new Map(tracked.filter(isOwn).map((file) => [file, readFileSync(file, 'utf8')]));
const roots = new Map(
  tracked
    .filter((file) => file.endsWith('package.json'))
    .map((file) => [String(JSON.parse(readFileSync(file, 'utf8')).name), dirname(file)]),
);
const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]));

function importsOf(file: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from |import\()'([^']+\.ts)'/g)].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => resolve(file, specifier)).filter((target) => sources.has(target));
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier));
  const [scope = '', name = '', ...rest] = specifier.split('/');
  return join(roots.get(`${scope}/${name}`) ?? '', 'src', ...rest);
}

const codeLines = (text: string): number => text.split('\n').filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line)).length;

function closure(start: string, seen = new Set<string>()): Set<string> {
  if (seen.has(start)) return seen;
  seen.add(start);
  for (const next of imports.get(start) ?? []) closure(next, seen);
  return seen;
}

const find = (end: string): string => [...sources.keys()].find((file) => file.endsWith(end)) ?? end;

/** Files that one must know to follow a task, from each of its entries. */
const reach = (...entries: string[]): number => new Set(entries.flatMap((entry) => [...closure(find(entry))])).size;

const importers = new Map<string, number>();
for (const targets of imports.values())
  for (const target of new Set(targets)) importers.set(target, (importers.get(target) ?? 0) + 1);
const single = [...sources].filter(([file]) => importers.get(file) === 1);
const inServices = [...imports].flatMap(([file, targets]) =>
  targets.filter((target) => file.startsWith('services/') && target.startsWith('services/')).map((target) => ({ file, target })),
);
const leaving = inServices.filter(({ file, target }) => dirname(file) !== dirname(target));
const names = Map.groupBy(sources.keys(), (file) => basename(file));
const repeated = [...names.values()].filter((files) => files.length > 1);
const words = (files: string[]): number =>
  files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).length, 0);
const documents = tracked.filter((file) => file.endsWith('.md') && !/^CHANGELOG|^docs\/reference\//.test(file));
const golden = tracked.filter((file) => file.startsWith('test/chart/golden/'));

console.table({
  'files without tests and generated code': sources.size,
  'of which with at most 60 lines of code': [...sources.values()].filter((text) => codeLines(text) <= 60).length,
  'imports inside services': inServices.length,
  'of which leave their folder, %': Math.round((100 * leaving.length) / inServices.length),
  'files with exactly one importer': single.length,
  'of which with at most 40 lines of code': single.filter(([, text]) => codeLines(text) <= 40).length,
  'files an upload reaches, up to its mail': reach('/start-import.ts', '/import-lifecycle.ts', '/send-mails.ts'),
  'files a score reaches': reach('/get-score.ts'),
  'files a text fact reaches, up to its export': reach('/apply-responses.ts', '/released-answers.ts'),
  'base names used more than once': repeated.length,
  'files that share a base name': repeated.flat().length,
  'own lines of code': [...sources.values()].reduce((sum, text) => sum + codeLines(text), 0),
  'words in documents': words(documents),
  'lines of golden renders': golden.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0),
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, normalize } from 'node:path';

// Prints references in comments, tests and documents to missing files and rules, rules without a
// test, and lines of documents and comments that are too wide. Exits with 1 when there are any.

const ROOT = new URL('../..', import.meta.url).pathname;
const TEXT = /\.(ts|mjs|md|sql|proto|tpl|ya?ml)$/;
// Generated, third-party or historical files. Released migrations never change.
const UNCHECKED =
  /(^|\/)gen\/|^packages\/postgres\/migrations\/|^CHANGELOG\.md$|^pnpm-lock\.yaml$|^test\/chart\/(golden|schemas)\//;
const MAX_COLUMNS = 100;
const RULES = 'docs/rules/';
const TEST = /^test\/.*\.ts$|\.test\.ts$/;

// Placeholders, files created by a run or a reader, and files of libraries.
const GENERATED = /^(?:SCRIPT\.ts$|opentelemetry\/|\.local|\.ci|node_modules|my-|values-|our-)|^(?:my|own)[\w.-]*\.(?:ts|ya?ml)$/;

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
const folders = new Set(tracked.flatMap(parents));
const texts = new Map(
  tracked
    .filter((file) => TEXT.test(file) && !UNCHECKED.test(file))
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
);

const faults = [...ruleFaults(), ...fileFaults(), ...pathFaults(), ...linkFaults(), ...widthFaults(), ...ownerFaults()];
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n${faults.length} faults of references, rules or line width\n`);
  process.exitCode = 1;
}

function parents(file: string): string[] {
  const folder = dirname(file);
  return folder === '.' ? [] : [folder, ...parents(folder)];
}

// Ids such as IMPORT-THRESHOLD-3.
function ruleFaults(): string[] {
  const defined = [...texts]
    .filter(([file]) => file.startsWith(RULES))
    .flatMap(([, text]) => [...text.matchAll(/^## ([A-Z]+(?:-[A-Z]+)*-\d+): /gm)].map(([, id = '']) => id));
  const twice = defined.filter((id, index) => defined.indexOf(id) !== index).map((id) => `${RULES}: ${id} is defined twice`);
  const groups = [...new Set(defined.map((id) => id.split('-')[0]))].join('|');
  const cited = new RegExp(`(?<![\\w-])(?:${groups})-[A-Z]+(?:-[A-Z]+)*-\\d+`, 'g');
  const unknown = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(cited)].flatMap(({ 0: id, index }) =>
      defined.includes(id) ? [] : [`${place(file, text, index)}: there is no rule ${id}`],
    ),
  );
  const tests = [...texts].filter(([file]) => TEST.test(file)).map(([, text]) => text);
  const tested = new Set(tests.flatMap((text) => text.match(cited) ?? []));
  const untested = defined.filter((id) => !tested.has(id)).map((id) => `${RULES}: no test cites ${id}`);
  return [...twice, ...unknown, ...untested];
}

// Files named in comments and documents: sources and documents by any path suffix, others
// only with a folder.
function fileFaults(): string[] {
  const names = /(?<![\w*<{$/.@%-])(?:\.{1,2}\/)*(?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs|md|sql|proto|tpl|ya?ml)(?![\w*/(]|\.\w)/g;
  return [...texts].flatMap(([file, text]) =>
    prose(file, text).flatMap(({ line, words }) =>
      (words.match(names) ?? [])
        .filter((name) => !isThere(file, name) && (/\.(ts|mjs|md|sql|proto)$/.test(name) || name.includes('/')))
        .map((name) => `${file}:${line}: there is no file ${name}`),
    ),
  );
}

function isThere(from: string, name: string): boolean {
  const bare = name.replace(/^(\.{1,2}\/)+/, '');
  const near = normalize(join(dirname(from), name));
  return GENERATED.test(bare) || tracked.some((file) => file === near || file === bare || file.endsWith(`/${bare}`));
}

// Paths from the root on the pages that lead contributors through the sources.
function pathFaults(): string[] {
  const path = /`((?:charts|clients|deploy|docs|packages|proto|services|test|tools)\/[\w./-]*?)\/?`/g;
  return ['docs/architecture.md', 'docs/recipes.md'].flatMap((file) => {
    const text = texts.get(file) ?? '';
    return [...text.matchAll(path)].flatMap(({ 1: name = '', index }) =>
      tracked.includes(name) || folders.has(name) ? [] : [`${place(file, text, index)}: there is nothing at ${name}`],
    );
  });
}

// All lines of documents, only the comments of other files.
function prose(file: string, text: string): { line: number; words: string }[] {
  const isDocument = file.endsWith('.md');
  const comment = /\.(ts|mjs|proto)$/.test(file) ? /(?:^|\s)(?:\/\/|\/?\*+) ?(.*)$/ : /(?:^|\s)(?:--|#) (.*)$/;
  let isFenced = false;
  return text.split('\n').flatMap((words, index) => {
    if (isDocument && /^\s*```/.test(words)) isFenced = !isFenced;
    const said = isDocument ? (isFenced ? undefined : words) : comment.exec(words)?.[1];
    return said === undefined ? [] : [{ line: index + 1, words: said.replaceAll(/https?:\/\/\S+/g, '') }];
  });
}

function linkFaults(): string[] {
  return [...texts]
    .filter(([file]) => file.endsWith('.md'))
    .flatMap(([file, text]) =>
      prose(file, text).flatMap(({ line, words }) =>
        [...words.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) =>
          /^[a-z]+:/.test(target) || leadsSomewhere(file, target) ? [] : [`${file}:${line}: the link ${target} leads nowhere`],
        ),
      ),
    );
}

// Paths that CODEOWNERS gives to a team.
function ownerFaults(): string[] {
  const lines = readFileSync(join(ROOT, '.github/CODEOWNERS'), 'utf8').split('\n');
  const paths = lines.flatMap((line) => (line.startsWith('/') ? [line.split(' ', 1)[0]?.slice(1) ?? ''] : []));
  return paths
    .filter((path) => !tracked.some((file) => matchesGlob(file, path.endsWith('/') ? `${path}**` : path)))
    .map((path) => `.github/CODEOWNERS: nothing is at ${path}`);
}

function leadsSomewhere(file: string, target: string): boolean {
  const [path = '', anchor] = target.split('#', 2);
  const to = path === '' ? file : normalize(join(dirname(file), decodeURI(path))).replace(/\/$/, '');
  if (anchor === undefined || !to.endsWith('.md')) return tracked.includes(to) || folders.has(to);
  return [...(texts.get(to) ?? '').matchAll(/^#+ (.*)$/gm)].some(([, heading = '']) => slug(heading) === anchor);
}

// Documents outside of fences and tables, and comments that fill their lines.
function widthFaults(): string[] {
  const comment = /^\s*(?:\/\/|\/\*\*|\*|--) /;
  return [...texts].flatMap(([file, text]) => {
    const isDocument = file.endsWith('.md');
    if (!isDocument && !/\.(?:ts|mjs|sql|proto)$/.test(file)) return [];
    let isFenced = false;
    return text.split('\n').flatMap((line, index) => {
      if (isDocument && /^\s*```/.test(line)) isFenced = !isFenced;
      const canWrap = isDocument ? !isFenced && !/^\s*\|/.test(line) : comment.test(line);
      return canWrap && line.length > MAX_COLUMNS && !/https?:|\]\(|oxlint-/.test(line)
        ? [`${file}:${index + 1}: a line of ${line.length} columns; at most ${MAX_COLUMNS}`]
        : [];
    });
  });
}

// Heading anchors as GitHub generates them.
function slug(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function place(file: string, text: string, index: number): string {
  return `${file}:${text.slice(0, index).split('\n').length}`;
}

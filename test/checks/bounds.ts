import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Prints calls that spread a list into their arguments, which overflows the stack above some
// 120,000 items, and files with lists for zod, which keeps an issue for every item. Either is fine
// with a comment `Bounded: …`, of a call on one of the three lines before. Exits with 1 when there
// are any.

const ROOT = new URL('../..', import.meta.url).pathname;
const CHECKED = /^(services|packages|clients)\/.*\/?src\/.*\.ts$/;
const UNCHECKED = /\.(test|fixture)\.ts$|\/test-[\w-]+\.ts$|\/gen\/|^packages\/demo-data\//;
// Schemas that only describe bodies in the OpenAPI document, or files that only an
// operator's own process reads.
const NO_INPUT = /^services\/gateway\/src\/(endpoints|openapi)\/|^clients\/|^packages\/bus\/src\/lines\//;
const BOUND = 'Bounded: ';
const CALLED = /[\w$)\]>]$/;
const SPREAD = /\.\.\.(?=[\w$([])/g;
const NAME = /^\.\.\.(\w+)/;
const ZOD_LIST = /\bz\s*\.(?:array|record)\(/g;
const OPENED: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
const faults = files.filter((file) => CHECKED.test(file) && !UNCHECKED.test(file)).flatMap(faultsIn);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n${faults.length} lists without a bound\n`);
  process.exitCode = 1;
}

function faultsIn(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const lines = text.split('\n');
  const spreads = [...text.matchAll(SPREAD)].map(({ index }) => index).filter((at) => isArgument(text, at));
  const schemas = NO_INPUT.test(file) || text.includes(BOUND) ? [] : [...text.matchAll(ZOD_LIST)].map(({ index }) => index);
  return [...spreads, ...schemas].flatMap((at) => {
    const line = text.slice(0, at).split('\n').length;
    const before = lines.slice(Math.max(0, line - 4), line).join('\n');
    return before.includes(BOUND) ? [] : [`${file}:${line}: ${lines[line - 1]?.trim()}`];
  });
}

// Walks back to the bracket that the spread is in: a call's, unless nothing is called before it.
// Rest parameters, and calls that pass them on, are as short as the calls that fill them.
function isArgument(text: string, spread: number): boolean {
  const name = NAME.exec(text.slice(spread, spread + 80))?.[1];
  if (name !== undefined && new RegExp(`\\.\\.\\.${name}(?:\\??:|\\) =>)`).test(text)) return false;
  const closed: string[] = [];
  for (let at = spread - 1; at >= 0; at -= 1) {
    const character = text[at] ?? '';
    if (character in OPENED) closed.push(OPENED[character] ?? '');
    else if (character === '(' || character === '[' || character === '{')
      if (closed.pop() === undefined) return character === '(' && CALLED.test(text.slice(0, at));
  }
  return false;
}

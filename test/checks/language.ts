import { readFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';

// Checks the machine-checkable parts of docs/style.md. Prints one line per finding; exits 1 if any.

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

interface Passage {
  readonly line: number;
  readonly text: string;
}

interface Word {
  readonly pattern: RegExp;
  readonly instead: string;
}

const MAX_COLUMNS = 100;
const MAX_COMMENT_LINES = 6;
const MAX_P90_SENTENCE_WORDS = 25;
const MAX_SUBJECT_COLUMNS = 72;

// The style guide shows what it replaces; golden renders and lists are data.
const SKIPPED = /^(docs\/style\.md|LICENSE|NOTICE)|\/(gen|golden|lists|models|schemas|node_modules)\//;

const words = await readVocabulary();
const findings: Finding[] = [];
for (const file of trackedFiles()) {
  const source = await readFile(file, 'utf8');
  findings.push(...(file.endsWith('.md') ? checkDocument(file, source) : checkComments(file, source)));
}
findings.push(...checkSubjects());
for (const { file, line, message } of findings) console.log(`${file}:${line}: ${message}`);
if (findings.length > 0) {
  console.log(`${findings.length} findings; docs/style.md has the rules`);
  process.exitCode = 1;
}

/** Checks the subjects of the commits that are not yet in the upstream branch or in main. */
function checkSubjects(): Finding[] {
  const base = ['@{upstream}', 'origin/main', 'main'].find((ref) => git('rev-parse', '--verify', '--quiet', ref) !== '');
  const subjects = base === undefined ? [] : git('log', '--no-merges', '--format=%h %s', `${base}..HEAD`).split('\n');
  return subjects.flatMap((entry) => {
    const [, commit = '', subject = ''] = /^(\w+) (.*)$/.exec(entry) ?? [];
    const isImperative = /^[a-z]+(\([^)]+\))?!?: (?!\w+(?:ed|ing)\b)[a-z]/.test(subject);
    const message =
      subject.length > MAX_SUBJECT_COLUMNS
        ? `subject of ${subject.length} columns; at most ${MAX_SUBJECT_COLUMNS}`
        : 'subject must be "type(scope): " and an imperative';
    return commit === '' || (isImperative && subject.length <= MAX_SUBJECT_COLUMNS) ? [] : [{ file: commit, line: 1, message }];
  });
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

function trackedFiles(): string[] {
  return git('ls-files', '*.md', '*.ts', '*.sql', '*.proto')
    .split('\n')
    .filter((file) => file !== '' && !SKIPPED.test(file));
}

async function readVocabulary(): Promise<Word[]> {
  const guide = await readFile('docs/style.md', 'utf8');
  const table = guide.slice(guide.indexOf('## Checked vocabulary')).matchAll(/^\| ((?:[^|\\]|\\.)+) \| (.+) \|$/gm);
  return [...table]
    .filter(([, pattern = '']) => pattern !== 'Pattern' && !pattern.startsWith('---'))
    .map(([, pattern = '', instead = '']) => ({
      pattern: new RegExp(`(?<![\\w-])(?:${pattern.replaceAll('\\|', '|')})(?![\\w-])`, 'i'),
      instead,
    }));
}

function checkDocument(file: string, source: string): Finding[] {
  const prose = proseOf(source);
  return [
    ...checkWords(file, prose),
    ...checkHeadings(file, prose),
    ...checkLineLength(file, source),
    ...checkSentences(file, prose),
  ];
}

function checkComments(file: string, source: string): Finding[] {
  const blocks = commentBlocks(source, file.endsWith('.sql') ? '--' : '//');
  const titles = file.endsWith('.test.ts') ? testTitles(source) : [];
  const tooLong = blocks
    .filter(({ lines, isDocstring }) => !isDocstring && lines.length > MAX_COMMENT_LINES)
    .map(({ line, lines }) => ({ file, line, message: `comment of ${lines.length} lines; at most ${MAX_COMMENT_LINES}` }));
  const passages = blocks.flatMap(({ line, lines }) =>
    lines.map((text, i) => ({ line: line + i, text: text.replace(/`[^`]*`/g, '`') })),
  );
  const tooWide = source.split('\n').flatMap((text, i) => {
    const isWide = text.length > MAX_COLUMNS && /^\s*(\/\/|\/\*\*|\*|--) /.test(text) && !/https?:|oxlint-/.test(text);
    return isWide ? [{ file, line: i + 1, message: `comment line of ${text.length} columns; at most ${MAX_COLUMNS}` }] : [];
  });
  return [...checkWords(file, [...passages, ...titles]), ...tooLong, ...tooWide];
}

function checkWords(file: string, passages: readonly Passage[]): Finding[] {
  return passages.flatMap(({ line, text }) =>
    words.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [{ file, line, message: `"${found}": write ${instead}` }];
    }),
  );
}

function checkHeadings(file: string, prose: readonly Passage[]): Finding[] {
  return prose
    .filter(({ text }) => /^#+ /.test(text) && (text.endsWith('?') || /^#+ (how|what|when|why|who|where|if) /i.test(text)))
    .map(({ line }) => ({ file, line, message: 'heading is a question or a clause; write a noun or a task' }));
}

function checkLineLength(file: string, source: string): Finding[] {
  let isFenced = false;
  return source.split('\n').flatMap((text, i) => {
    if (/^\s*```/.test(text)) isFenced = !isFenced;
    const isFree = isFenced || /^\s*\||https?:|]\(/.test(text);
    return !isFree && text.length > MAX_COLUMNS
      ? [{ file, line: i + 1, message: `line of ${text.length} columns; at most ${MAX_COLUMNS}` }]
      : [];
  });
}

function checkSentences(file: string, prose: readonly Passage[]): Finding[] {
  const paragraphs = prose
    .map(({ text }) =>
      /^\s*([-*#|>]|\d+\.)/.test(text) || text.trim() === '' ? `\n${text.startsWith('|') ? '' : text}` : ` ${text}`,
    )
    .join('')
    .split('\n');
  const lengths = paragraphs
    .flatMap((text) => text.split(/(?<=[.!?:;])\s+/))
    .map((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length)
    .filter((count) => count > 2)
    .sort((a, b) => a - b);
  const p90 = lengths[Math.floor(lengths.length * 0.9)] ?? 0;
  return p90 > MAX_P90_SENTENCE_WORDS
    ? [{ file, line: 1, message: `9 of 10 sentences have up to ${p90} words; at most ${MAX_P90_SENTENCE_WORDS}` }]
    : [];
}

/** Lines outside fences, with code font and link targets removed. */
function proseOf(source: string): Passage[] {
  let isFenced = false;
  return source.split('\n').flatMap((text, i) => {
    if (/^\s*```/.test(text)) {
      isFenced = !isFenced;
      return [];
    }
    return isFenced ? [] : [{ line: i + 1, text: text.replace(/`[^`]*`/g, '`x`').replace(/\]\([^)]*\)/g, ']') }];
  });
}

interface CommentBlock {
  readonly line: number;
  readonly lines: readonly string[];
  readonly isDocstring: boolean;
}

function commentBlocks(source: string, marker: '//' | '--'): CommentBlock[] {
  const blocks: { line: number; lines: string[]; isDocstring: boolean }[] = [];
  source.split('\n').forEach((text, i) => {
    const isDocstring = marker === '//' && /^\s*(\/\*\*|\*)/.test(text);
    const whole = isDocstring
      ? /^\s*(?:\/\*\*|\*\/|\*) ?(.*?)(?:\*\/)?$/.exec(text)
      : new RegExp(`^\\s*${marker} ?(.*)$`).exec(text);
    const trailing = whole ?? new RegExp(`\\s${marker} (.*)$`).exec(text);
    if (trailing?.[1] === undefined) return;
    const last = blocks.at(-1);
    if (last !== undefined && whole !== null && last.line + last.lines.length === i + 1) last.lines.push(trailing[1]);
    else blocks.push({ line: i + 1, lines: [trailing[1]], isDocstring });
  });
  return blocks;
}

function testTitles(source: string): Passage[] {
  return source.split('\n').flatMap((text, i) => {
    const title = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^'"`]*\))?\((['"`])(.*?)\1/.exec(text)?.[2];
    return title === undefined ? [] : [{ line: i + 1, text: title }];
  });
}

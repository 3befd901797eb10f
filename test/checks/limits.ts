import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

// Compares docs/limits.md with the code: every constant that it names is there, every test that it
// names exists, and every constant or setting of the code that is called a maximum stands there,
// unless no input of a customer reaches it. Prints what is wrong, and exits with 1.

const ROOT = new URL('../..', import.meta.url).pathname;
const PAGE = 'docs/limits.md';
const CHECKED = /^(?:services\/[\w-]+|packages\/(?:bus|formats|postgres|process|rpc|text))\/src\/.*\.ts$/;
const MAXIMUM = /^(?:export )?const ((?:MAX_\w+|\w+_MAX)) =|^ {2}(MAX_[A-Z_]+): z/gm;
const IS_TIME = /_(?:MS|S|SECONDS|DAYS|HOURS|AGE)$/;

// Sizes of our own batches, caches and pages that hold whatever there is, by file.
const NO_INPUT: Readonly<Record<string, readonly string[]>> = {
  'packages/bus/src/facts/publish-facts.ts': ['MAX_IN_FLIGHT'],
  'packages/formats/src/attribute-name.ts': ['MAX_CACHED'],
  'packages/postgres/src/account-rows.ts': ['MAX_BATCH'],
  'packages/postgres/src/long-statements.ts': ['MAX_MISSED_LOOKS'],
  'packages/postgres/src/database-statistics.ts': ['MAX_STATEMENTS'],
  'packages/rpc/src/application-error.ts': ['MAX_LISTED_ERRORS', 'MAX_FINDING', 'MAX_DETAIL'],
  'packages/rpc/src/channel.ts': ['MAX_MESSAGE_BYTES'],
  'packages/rpc/src/wire-method.ts': ['MAX_HEAD'],
  'packages/rpc/src/account-balancer.ts': ['MAX_CALLS_OVER_MEAN'],
  // What words, names and numbers look like.
  'packages/text/src/masking/addresses/addresses.ts': ['MAX_PARTS', 'MAX_PART'],
  'packages/text/src/masking/names/name-start.ts': ['MAX_INITIALS'],
  'packages/text/src/masking/names/names.ts': ['MAX_JOINED'],
  'packages/text/src/masking/names/word-facts.ts': ['MAX_PARTICLES'],
  'packages/text/src/masking/numbers/numbers.ts': ['MAX_RUNS', 'MAX_LENGTH'],
  'packages/text/src/masking/numbers/readings.ts': ['MAX_SIGNS_BETWEEN'],
  'packages/text/src/masking/recogniser/model-masker.ts': ['MAX_PARTICLES'],
  'packages/text/src/masking/words.ts': ['MAX_ABBREVIATION'],
  'packages/text/src/masking/recogniser/text-windows.ts': ['MAX_PIECES'],
  'packages/text/src/words/language.ts': ['MAX_SHARE'],
  'packages/text/src/words/stem.ts': ['MAX_STEMS'],
  'packages/text/src/words/word-features.ts': ['MAX_GRAM'],
  'services/account-admin/src/audit-log.ts': ['MAX_WHAT'],
  'services/console/src/account/audit-page.ts': ['MAX_CHANGES', 'MAX_VALUE'],
  'services/console/src/settings/disclosure-guard-page.ts': ['MAX_CYCLES'],
  'services/console/src/topics/topics-page.ts': ['MAX_HITS_SHOWN', 'MAX_SUGGESTED'],
  'services/export/src/employees/option-cache.ts': ['MAX_BYTES'],
  'services/gateway/src/keys/api-keys.ts': ['MAX_KEYS'],
  'services/gateway/src/keys/find-api-keys.ts': ['MAX_CONCURRENT', 'MAX_BATCH'],
  'services/gateway/src/overload/limit-rate.ts': ['MAX_KEYS'],
  'services/import-reconciler/src/apply/apply-import.ts': ['MAX_LOOKED_UP'],
  'services/import-reconciler/src/apply/current-employees.ts': ['MAX_OPTIONS_TOGETHER'],
  'services/import-reconciler/src/apply/enqueue-employee-events.ts': ['MAX_EMPLOYEES'],
  'services/import-reconciler/src/erasure/expire-offboarded.ts': ['MAX_UNFINISHED'],
  'services/import-reconciler/src/mail/mailer.ts': ['MAX_MAILBOX_LENGTH'],
  'services/import-reconciler/src/snapshot/known-employees.ts': ['MAX_ROW_BYTES'],
  'services/import-reconciler/src/snapshot/known-hashes.ts': ['LOAD_MAX'],
  'services/scoring-anonymity/src/answers/account-snapshot.ts': ['MAX_CHANGES'],
  'services/scoring-anonymity/src/answers/answer-cache.ts': ['MAX_LOADS'],
  'services/scoring-anonymity/src/read-guarded-score.ts': ['MAX_BLOCKS', 'MAX_BYTES'],
  'services/scoring-anonymity/src/rules/scale.ts': ['MAX_DENOMINATOR'],
  'services/text-analysis/src/answers/account-answers.ts': ['MAX_STATES'],
  'services/text-analysis/src/answers/account-snapshot.ts': ['MAX_CHANGES'],
  'services/text-analysis/src/answers/answer-cache.ts': ['MAX_CONCURRENT_LOADS'],
  'services/text-analysis/src/masking/mask-stage.ts': ['MAX_TEXTS'],
  'services/text-analysis/src/sentiment/question-leaning.ts': ['MAX_QUESTION'],
  'services/text-analysis/src/topics/account-categorisers.ts': ['MAX_MODELS'],
  'services/text-analysis/src/topics/keyword-matcher.ts': ['MAX_PART', 'MAX_COMPOUND'],
  'services/text-analysis/src/topics/topic-answers.ts': ['MAX_ANSWERS'],
  'services/text-analysis/src/topics/topic-views.ts': ['MAX_ACCOUNTS'],
  'services/text-analysis/src/topics/usual-topics.ts': ['MAX_PHRASE_WORDS'],
};

const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
const page = readFileSync(join(ROOT, PAGE), 'utf8');
const named = constantsNamed();
const faults = [...missingInCode(), ...missingTests(), ...missingOnPage()];
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n${faults.length} differences between ${PAGE} and the code\n`);
  process.exitCode = 1;
}

/** Pairs of a file and its constant, from lists of names in brackets: MAX_A and MAX_B in a file. */
function constantsNamed(): Set<string> {
  const pairs = new Set<string>();
  let names: string[] = [];
  let isAfterFile = false;
  for (const [, span = ''] of page.matchAll(/`([^`]+)`/g)) {
    if (/^[A-Z][A-Z_]+$/.test(span)) {
      names = isAfterFile ? [span] : [...names, span];
      isAfterFile = false;
    } else if (/^[\w-]+\.ts$/.test(span)) {
      for (const name of names) pairs.add(`${span} ${name}`);
      isAfterFile = true;
    } else names = [];
  }
  return pairs;
}

function missingInCode(): string[] {
  return [...named].flatMap((pair) => {
    const [file = '', name = ''] = pair.split(' ');
    const found = files.filter((path) => basename(path) === file);
    const contains = found.some((path) => new RegExp(`\\b${name}\\b`).test(readFileSync(join(ROOT, path), 'utf8')));
    return contains ? [] : [`${PAGE} names ${name}, which ${file} does not have`];
  });
}

function missingTests(): string[] {
  const tests = [...page.matchAll(/`([\w/.-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  return tests
    .filter((path) => !files.some((file) => file === path || (!path.includes('/') && basename(file) === path)))
    .map((path) => `${PAGE} names ${path}, which does not exist`);
}

function missingOnPage(): string[] {
  return files
    .filter((file) => CHECKED.test(file) && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const constants = [...readFileSync(join(ROOT, file), 'utf8').matchAll(MAXIMUM)].map(([, one, other = '']) => one ?? other);
      return constants
        .filter((name) => !IS_TIME.test(name) && !named.has(`${basename(file)} ${name}`))
        .filter((name) => NO_INPUT[file]?.includes(name) !== true)
        .map((name) => `${file} has ${name}, which ${PAGE} does not name`);
    });
}

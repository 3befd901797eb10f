import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { PERSONAL_CATEGORIES } from '@survey/text/masking/masker.ts';
import { Roster } from '@survey/text/masking/roster.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { readReviews } from './over-masking.ts';
import { seeded } from './random-ids.ts';
import type { Row } from './row.ts';
import { writeSentences } from './survey-sentences.ts';

const ALL = new Set(PERSONAL_CATEGORIES);
const ROSTER_NAMES = 100_000;
const ANSWERS = 20_000;
const PERSONAL_SHARE = 0.15;
const MIN_LENGTH = 150;
const ROUNDS = 3;

interface Timed {
  readonly text: string;
  readonly language: string;
}

/** Creates a roster of 100,000 employees with names that no text contains. */
function bigRoster(): Roster {
  const roster = new Roster();
  const word = (number: number) =>
    Array.from(number.toString(20), (digit) => 'bcdfghjklmnpqrstvwxz'[parseInt(digit, 20)] ?? '').join('a');
  for (let person = 0; person < ROSTER_NAMES; person++) {
    roster.add({ firstname: word(person * 7919), lastname: word(person * 104_729), email: `${word(person * 31)}@example.com` });
  }
  return roster;
}

export async function evaluateSpeed(data: string): Promise<Row[]> {
  const roster = bigRoster();
  await embeddedMasker.find({ text: 'My manager Anna Smith lives at 12 Oak Street.', language: 'en', roster, categories: ALL });
  const residentMb = Math.round(process.memoryUsage.rss() / 1e6);
  const answers = mixture(data);
  const bare = await answersPerSecond(answers, ({ text }) => scan(text));
  const masked = await answersPerSecond(answers, ({ text, language }) =>
    embeddedMasker.find({ text, language, roster, categories: ALL }),
  );
  const length = Math.round(answers.reduce((sum, { text }) => sum + text.length, 0) / answers.length);
  return [
    { name: `bare scan of ${length}-character answers, per core`, goal: '-', figure: `${Math.round(bare)}/s` },
    {
      name: 'masking, roster of 100,000 names, per core',
      goal: '>= 0.15x of the scan',
      figure: `${Math.round(masked)}/s = ${(masked / bare).toFixed(2)}x`,
    },
    { name: 'resident memory with that roster, before anything else is loaded', goal: '<= 300 MB', figure: `${residentMb} MB` },
    await slowestHostile(roster),
  ];
}

// Reviews joined to the length of answers; a fixed share contains personal data.
function mixture(data: string): Timed[] {
  const random = seeded(1);
  const reviews = readReviews(data);
  const personal = (['en', 'de', 'fr', 'es', 'nl'] as const).flatMap((language) => writeSentences(data, language));
  return Array.from({ length: ANSWERS }, (_, at) => {
    const { text: first = '', language = 'en' } = reviews[at % reviews.length] ?? {};
    let text = random() < PERSONAL_SHARE ? `${personal[at % personal.length]?.text ?? ''} ${first}` : first;
    for (let next = at + 1; text.length < MIN_LENGTH; next++) text += ` ${reviews[next % reviews.length]?.text ?? ''}`;
    return { text, language };
  });
}

let sum = 0;
function scan(text: string): void {
  for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0;
}

async function answersPerSecond(answers: readonly Timed[], work: (answer: Timed) => unknown): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (const answer of answers) await work(answer);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, user + system);
  }
  return answers.length / (best / 1e6);
}

async function slowestHostile(roster: Roster): Promise<Row> {
  let worst = 0;
  let which = '';
  for (const [piece, text] of Object.entries(HOSTILE_TEXTS)) {
    for (const language of ['en', 'de', 'fr', 'xx']) {
      const took = await bestTime(() => embeddedMasker.find({ text, language, roster, categories: ALL }));
      if (took > worst) [worst, which] = [took, piece];
    }
  }
  return {
    name: `slowest of ${Object.keys(HOSTILE_TEXTS).length} hostile texts of 10,000 characters, 4 languages`,
    goal: '<= 50 ms',
    figure: `${worst.toFixed(1)} ms (${which} ...)`,
  };
}

// CPU time, so that other load on the machine does not count.
async function bestTime(work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

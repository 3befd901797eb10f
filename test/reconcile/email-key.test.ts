import { emailKey } from '@survey/formats/email-key.ts';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { newWorkforce, R } from './workforce.ts';

const database = await openReconcilerDatabase();

async function differing(emails: readonly string[]): Promise<string[]> {
  const { rows } = await database.db.query<{ email: string; key: string }>(
    'select email, imports.email_key(email) as key from unnest($1::text[]) as email',
    [emails],
  );
  return rows.filter(({ email, key }) => key !== emailKey(email)).map(({ email }) => escape(email));
}

const escape = (email: string): string => Array.from(email, (letter) => letter.codePointAt(0)?.toString(16)).join(' ');

const BATCH_SIZE = 10_000;
const MAX_CODE_POINT = 0x10ffff;

// Every assigned code point, and a sample of the rest.
function isTested(letter: string, code: number): boolean {
  return code % 64 === 1 ? !/\p{Cs}/u.test(letter) : !/[\0\p{Cn}\p{Co}\p{Cs}]/u.test(letter);
}

it('gives e-mails the same key in SQL as in TypeScript, for every code point [IMPORT-EMAILS-1]', async () => {
  const letters = Array.from({ length: MAX_CODE_POINT + 1 }, (_, code) => String.fromCodePoint(code)).filter(isTested);
  const found: string[] = [];
  for (let from = 0; from < letters.length; from += BATCH_SIZE) {
    found.push(...(await differing(letters.slice(from, from + BATCH_SIZE))));
  }
  expect(found).toEqual([]);
}, 120_000);

it('gives e-mails of several letters the same key in SQL as in TypeScript [IMPORT-EMAILS-1]', async () => {
  // Letters and marks that both Unicode versions define.
  const letter = fc.oneof(
    fc.integer({ min: 1, max: 0x24f }),
    fc.integer({ min: 0x300, max: 0x5ff }),
    fc.integer({ min: 0x1e00, max: 0x1fff }),
  );
  const emails = fc.array(letter, { maxLength: 12 }).map((codes) => String.fromCodePoint(...codes));
  await fc.assert(
    fc.asyncProperty(fc.array(emails, { minLength: 500, maxLength: 500 }), async (batch) => {
      expect(await differing(batch)).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

it.each([
  ['\u0391\u03a3@b.example', '\u03b1\u03c3@b.example'],
  ['\u0391\u03a3@b.example', '\u03b1\u03c2@b.example'],
  ['stra\u1e9ee@b.example', 'stra\u00dfe@b.example'],
])('skips the second of two employees when only case distinguishes %s from %s [IMPORT-EMAILS-1]', async (first, second) => {
  const people = await newWorkforce(database);
  const { counts, records } = await people.import([R(1, { email: first }), R(2, { email: second })]);
  expect(counts).toMatchObject({ created: 1, skipped: 1 });
  expect(records[1]?.reasons).toEqual(['email_taken /employees/1/email']);
});

it('keeps sharp s and ss apart [IMPORT-EMAILS-1]', async () => {
  const people = await newWorkforce(database);
  const { counts } = await people.import([R(1, { email: 'stra\u00dfe@b.example' }), R(2, { email: 'strasse@b.example' })]);
  expect(counts).toMatchObject({ created: 2, skipped: 0 });
});

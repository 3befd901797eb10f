import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emailKey } from '@survey/formats/email-key.ts';
import { MIGRATIONS_FOLDER } from '@survey/postgres/schema-compatibility.ts';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { newWorkforce, R } from './workforce.ts';

const database = await openReconcilerDatabase();

async function differing(emails: readonly string[]): Promise<string[]> {
  const { rows } = await database.db.query<{ email: string; key: string; nfkd: string }>(
    'select email, imports.email_key(email) as key, normalize(email, nfkd) as nfkd from unnest($1::text[]) as email',
    [emails],
  );
  // PostgreSQL's Unicode version may be older.
  const known = rows.filter(({ email, nfkd }) => !email.includes('@') || nfkd === email.normalize('NFKD'));
  return known.filter(({ email, key }) => key !== emailKey(email)).map(({ email }) => escape(email));
}

const escape = (email: string): string => Array.from(email, (letter) => letter.codePointAt(0)?.toString(16)).join(' ');

const BATCH_SIZE = 10_000;
// Of the code points after those of most alphabets.
const STEP = Number(process.env['CODE_POINT_STEP'] ?? 16);

// Every assigned code point, and a sample of the rest.
function isTested(letter: string, code: number): boolean {
  if (code >= 0x2000 && code % STEP !== 1 % STEP) return false;
  return code % 64 === 1 ? !/\p{Cs}/u.test(letter) : !/[\0\p{Cn}\p{Co}\p{Cs}]/u.test(letter);
}

it('gives e-mails the same key in SQL as in TypeScript, whatever the letter [IMPORT-EMAILS-1]', async () => {
  const alone = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(isTested);
  // Most letters are kept in domains, and only encoded.
  const mapped = alone.filter(
    (letter, at) => at % 64 === 1 || emailKey(letter) !== letter || letter.normalize('NFKD') !== letter,
  );
  const letters = [...alone, ...mapped.map((letter) => `${letter}@${letter}b.c`)];
  const found: string[] = [];
  for (let from = 0; from < letters.length; from += BATCH_SIZE) {
    found.push(...(await differing(letters.slice(from, from + BATCH_SIZE))));
  }
  expect(found).toEqual([]);
});

it('gives e-mails of several letters the same key in SQL as in TypeScript [IMPORT-EMAILS-1]', async () => {
  // Letters and marks that both Unicode versions define.
  const letter = fc.oneof(
    fc.integer({ min: 1, max: 0x24f }),
    fc.integer({ min: 0x300, max: 0x5ff }),
    fc.integer({ min: 0x1e00, max: 0x1fff }),
  );
  const emails = fc
    .array(fc.oneof({ arbitrary: letter, weight: 9 }, { arbitrary: fc.constantFrom(0x40, 0x2e, 0x3002, 0x200b), weight: 1 }), {
      maxLength: 80,
    })
    .map((codes) => String.fromCodePoint(...codes));
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
  ['rosa@b\u00fccher.example', 'rosa@xn--bcher-kva.example'],
  ['\u202aotto@b.example\u202c', 'otto@b.ex\u200bample'],
])(
  'skips the second of two employees when nothing that counts distinguishes %s from %s [IMPORT-EMAILS-1]',
  async (first, second) => {
    const people = await newWorkforce(database);
    const { counts, records } = await people.import([R(1, { email: first }), R(2, { email: second })]);
    expect(counts).toMatchObject({ created: 1, skipped: 1 });
    expect(records[1]?.reasons).toEqual(['email_taken /employees/1/email']);
  },
);

it('keeps sharp s and ss apart [IMPORT-EMAILS-1]', async () => {
  const people = await newWorkforce(database);
  const { counts } = await people.import([R(1, { email: 'stra\u00dfe@b.example' }), R(2, { email: 'strasse@b.example' })]);
  expect(counts).toMatchObject({ created: 2, skipped: 0 });
});

it('computes stored keys again when it is upgraded, and keeps one key for each mailbox [IMPORT-EMAILS-1]', async () => {
  const emails = [
    'rosa@b\u00fccher.example',
    'rosa@xn--bcher-kva.example',
    'otto@b\u00fccher.example',
    'Otto@b\u00fccher.example\u200b',
  ];
  const { account } = await newWorkforce(
    database,
    emails.map((_, n) => R(n)),
  );
  const store = 'update imports.employee set email = $3, email_key = lower($3) where account_id = $1 and import_id = $2';
  for (const [n, email] of emails.entries()) await database.db.query(store, [account.accountId, `E${n}`, email]);
  const migration = await readFile(join(MIGRATIONS_FOLDER, '0019_email_domains.sql'), 'utf8');
  await database.db.query(migration.slice(migration.indexOf('set role')));
  const { rows } = await database.db.query<{ email_key: string }>(
    'select email_key from imports.employee where account_id = $1 order by import_id',
    [account.accountId],
  );
  expect(rows.map(({ email_key: key }) => key)).toEqual([
    emails[0],
    emails[1],
    'otto@xn--bcher-kva.example',
    emails[3]?.toLowerCase(),
  ]);
});

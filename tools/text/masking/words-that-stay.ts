import { readFileSync } from 'node:fs';
import { PERSONAL_CATEGORIES, type Masker } from '@survey/text/masking/masker.ts';
import { Roster } from '@survey/text/masking/roster.ts';
import { readIdentities } from './identities.ts';
import { percentOfCases, type Row } from './row.ts';

const ALL = new Set(PERSONAL_CATEGORIES);
const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl', 'pt', 'da', 'sv', 'it', 'pl'];

/** Measures the capitalised words of survey sentences without persons that stay visible. */
export async function evaluateWordsThatStay(masker: Masker, data: string): Promise<Row[]> {
  const full = new Roster(
    readIdentities(data).map(({ GivenName, Surname, EmailAddress }) => ({
      firstname: GivenName,
      lastname: Surname,
      email: EmailAddress,
    })),
  );
  const rows: Row[] = [];
  for (const [coverage, roster] of [
    ['0', new Roster()],
    ['100', full],
  ] as const) {
    let [words, kept] = [0, 0];
    for (const language of LANGUAGES) {
      const lines = readFileSync(new URL(`templates/stay.${language}.txt`, import.meta.url), 'utf8')
        .trimEnd()
        .split('\n');
      for (const line of lines) {
        const text = line.replaceAll(/[{}]/g, '');
        const spans = await masker.find({ text, language, roster, categories: ALL });
        for (const [at, { index, 0: braced }] of [...line.matchAll(/\{[^}]+\}/g)].entries()) {
          const start = index - 2 * at;
          const end = start + braced.length - 2;
          words += 1;
          if (!spans.some((span) => span.start < end && start < span.end)) kept += 1;
        }
      }
    }
    rows.push({ name: `words that stay, roster ${coverage} %`, goal: '>= 96', figure: percentOfCases(kept, words) });
  }
  return rows;
}

import { expect, it } from 'vitest';
import { embeddedMasker } from './embedded-masker.ts';
import { maskEmployee } from './mask-employee.ts';
import { Roster } from './roster.ts';

const roster = new Roster([{ firstname: 'Jana', lastname: 'Kowalczyk', email: 'jkowalczyk@example.org' }]);
const mask = (text: string): Promise<string> => maskEmployee(embeddedMasker, { text, language: 'en', roster });

it('masks only names and addresses with a word of the employee [DATA-ERASURE-2]', async () => {
  expect(await mask('Jana Kowalczyk and Peter Miller never answer.')).toBe('[NAME] and Peter Miller never answer.');
  expect(await mask('Ask KOWALCZYK, or write to jkowalczyk@example.org or p.miller@example.org.')).toBe(
    'Ask [NAME], or write to [EMAIL] or p.miller@example.org.',
  );
  expect(await mask('Write to info@kowalczyk.example')).toBe('Write to info@kowalczyk.example');
});

it('returns a text without the employee unchanged, and a masked text as it is [DATA-ERASURE-2]', async () => {
  for (const text of ['Peter Miller: 0171 2345678', 'Ask [NAME] about it.']) expect(await mask(text)).toBe(text);
});

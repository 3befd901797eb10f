import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Invented person of the set. The keys are its column headers. */
export type Identity = Readonly<
  Record<
    'NameSet' | 'GivenName' | 'Surname' | 'StreetAddress' | 'City' | 'ZipCode' | 'Country' | 'EmailAddress' | 'TelephoneNumber',
    string
  >
>;

/** Reads the 3,000 invented identities. No rule or list was derived from their names. */
export function readIdentities(data: string): Identity[] {
  const text = readFileSync(join(data, 'presidio', 'FakeNameGenerator.com_3000.csv'), 'utf8').replace(/^\uFEFF/, '');
  const [head = [], ...lines] = text.split(/\r?\n/).filter(Boolean).map(cells);
  const column = (name: string, line: readonly string[]) => line[head.indexOf(name)] ?? '';
  return lines.map((line) => ({
    NameSet: column('NameSet', line),
    GivenName: column('GivenName', line),
    Surname: column('Surname', line),
    StreetAddress: column('StreetAddress', line),
    City: column('City', line),
    ZipCode: column('ZipCode', line),
    Country: column('Country', line),
    EmailAddress: column('EmailAddress', line),
    TelephoneNumber: column('TelephoneNumber', line),
  }));
}

function cells(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) =>
    (quoted ?? plain ?? '').replaceAll('""', '"'),
  );
}

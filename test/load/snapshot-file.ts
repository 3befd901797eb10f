import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const SITES = ['Berlin', 'Leeds', 'Lyon', 'Valencia', 'Turin', 'Graz', 'Malmö', 'Kraków'];
const COUNTRIES = ['Germany', 'United Kingdom', 'France', 'Spain', 'Italy', 'Austria', 'Sweden', 'Poland'];

/**
 * Writes a generated snapshot as gzip: about 520 bytes of JSON per employee, six attributes, a tree
 * of supervisors, 2 % with grants. Every `changedEvery`-th employee has a different last name.
 */
export async function writeSnapshot(file: string, employees: number, changedEvery = 0): Promise<void> {
  await pipeline(Readable.from(pieces(employees, changedEvery)), createGzip({ level: 6 }), createWriteStream(file));
}

function* pieces(employees: number, changedEvery: number): Generator<string> {
  yield '{"employees":[';
  for (let from = 0; from < employees; from += 1_000) {
    const records: string[] = [];
    for (let i = from; i < Math.min(from + 1_000, employees); i++) {
      records.push(JSON.stringify(record(i, changedEvery > 0 && i % changedEvery === 0)));
    }
    yield (from === 0 ? '' : ',') + records.join(',');
  }
  yield ']}';
}

function record(i: number, changed: boolean): object {
  const site = i % SITES.length;
  return {
    import_id: `HR-${String(i).padStart(8, '0')}`,
    email: `person.${i}@example.com`,
    firstname: `First${i % 977}`,
    lastname: `Last${i % 7919}${changed ? ' changed' : ''}`,
    language: 'en',
    reports_to_id: i === 0 ? null : `HR-${String(Math.floor((i - 1) / 8)).padStart(8, '0')}`,
    role: i % 50 === 1 ? 'Manager' : 'Respondee',
    ...(i % 50 === 1 && { permissions: { grants: [{ attribute: { name: 'Location' }, value: { name: SITES[site] } }] } }),
    attributes: Object.entries({
      Department: `Department ${i % 60}`,
      Location: SITES[site],
      Country: COUNTRIES[site],
      'Cost Center': `Cost Center ${i % 3000}`,
      'Age Category': String(1960 + (i % 45)),
      Seniority: String(1990 + (i % 35)),
    }).map(([name, value]) => ({ name, value: { name: value } })),
  };
}

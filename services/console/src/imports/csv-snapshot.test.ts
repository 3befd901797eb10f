import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { isCsv, readCsv } from './csv-snapshot.ts';

async function convert(text: string | Buffer) {
  const bytes = Buffer.from(text);
  const csv = readCsv(Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]));
  const chunks: Buffer[] = [];
  for await (const chunk of csv.json) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  return { csv, body };
}

const HEAD = 'import_id,email,firstname,lastname';
const employees = async (text: string): Promise<unknown> => Object(JSON.parse((await convert(text)).body)).employees;

it('is told by the name of the file', () => {
  expect(['employees.csv', 'EXPORT.CSV', 'hr.tsv', 'hr.csv.gz', 'snapshot.json', 'snapshot.json.gz'].map(isCsv)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

describe('a CSV file', () => {
  it('becomes records, with every other column as an attribute and empty cells as null', async () => {
    expect(await employees(`${HEAD},role,Department\nE1,a@x.io,Ada,"Love, lace",,Sales\nE2,b@x.io,Bo,Li,Admin,\n`)).toEqual([
      {
        import_id: 'E1',
        email: 'a@x.io',
        firstname: 'Ada',
        lastname: 'Love, lace',
        role: null,
        attributes: [{ name: 'Department', value: { name: 'Sales' } }],
      },
      {
        import_id: 'E2',
        email: 'b@x.io',
        firstname: 'Bo',
        lastname: 'Li',
        role: 'Admin',
        attributes: [{ name: 'Department', value: null }],
      },
    ]);
  });

  it.each([
    ['semicolons, a byte order mark and CRLF', `\uFEFF${HEAD.replaceAll(',', ';')}\r\nE1;a@x.io;Ada;Lo\r\n`],
    ['tabs', `${HEAD.replaceAll(',', '\t')}\nE1\ta@x.io\tAda\tLo\n`],
    ['titles in other case and with spaces', `Import ID,E-mail,Firstname,lastname,email\nE1,x,Ada,Lo,a@x.io`],
    ['columns in another order', `lastname,email,import_id,firstname\nLo,a@x.io,E1,Ada`],
  ])('may have %s', async (_, text) => {
    expect(await employees(text)).toMatchObject([{ import_id: 'E1', email: 'a@x.io', firstname: 'Ada', lastname: 'Lo' }]);
  });

  it.each([
    ['the characters of another encoding in its head', Buffer.from(`${HEAD},Größe\nE1,a@x.io,Ada,Lo,M`, 'latin1'), ['encoding']],
    ['two bytes for each character', Buffer.from(`${HEAD}\nE1,a@x.io,Ada,Lo`, 'utf16le'), ['encoding']],
    ['an image in it', Buffer.from('89504e470d0a1a0a00000000', 'hex'), ['encoding']],
    ['blank lines only', '\r\n \r\n', ['missing', 'missing', 'missing', 'missing']],
  ])('is rejected with %s', async (_, text, kinds) => {
    const { csv } = await convert(text);
    expect(csv.faults().list.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('is read in one pass however many columns it has', async () => {
    const columns = Array.from({ length: 150_000 }, (_, nth) => nth.toString(36));
    const begun = process.cpuUsage();
    const { csv } = await convert(`${HEAD},${columns.join(',')}\nE1,a@x.io,Ada,Lo${','.repeat(columns.length)}\n`);
    expect(csv.faults().total).toBe(0);
    // Comparing every title with every other one takes 30 s.
    expect(process.cpuUsage(begun).user / 1_000_000).toBeLessThan(6);
  });

  it('tells all faults at once, by line and import_id', async () => {
    const text = `${HEAD}\nE1,a@x.io,Ada,Lo\nE2,b@x.io,Bo\n\nE3,c@x.io,"C\nd",Li\nE4,d@x.io,D,E,F\n`;
    const { csv } = await convert(text);
    expect(csv.faults()).toEqual({
      list: [
        { kind: 'cells', line: 3, import_id: 'E2' },
        { kind: 'cells', line: 7, import_id: 'E4' },
      ],
      total: 2,
    });
    // The place of a fault that the service finds in a value.
    expect(csv.placeOf('/employees/1/role')).toEqual({ line: 6, column: 'role', isEmpty: false });
  });

  it('names the column of an attribute, and tells which fields are empty', async () => {
    const { csv } = await convert(`${HEAD},Department,Site,Role\nE1,a@x.io,Ada,Lo,Sales,Bonn,\n`);
    expect(['import_id', 'lastname', 'role'].map((field) => csv.placeOf(`/employees/0/${field}`).isEmpty)).toEqual([
      false,
      false,
      true,
    ]);
    expect(csv.placeOf('/employees/0/attributes/1/value')).toEqual({ line: 2, column: 'Site', isEmpty: false });
    expect(csv.placeOf('/employees/0')).toEqual({ line: 2, column: undefined, isEmpty: false });
  });

  it.each([
    ['a missing column', 'import_id,email,firstname\nE1,a@x.io,Ada', { kind: 'missing', line: 1, column: 'lastname' }],
    ['a column twice', `${HEAD},Site,Site\nE1,a@x.io,Ada,Lo,Bonn,Kiel`, { kind: 'repeated', line: 1, column: 'Site' }],
    ['a quote that never ends', `${HEAD}\nE1,a@x.io,Ada,"Lo\n`, { kind: 'quotes', line: 2 }],
    ['a record of more than a MiB', `${HEAD}\nE1,a@x.io,Ada,"${'x'.repeat(2 ** 20)}"\n`, { kind: 'large' }],
  ])('with %s is rejected', async (_, text, fault) => {
    const { csv } = await convert(text);
    expect(csv.faults()).toMatchObject({ list: [fault], total: 1 });
  });

  it('that is not UTF-8 says where', async () => {
    const { csv } = await convert(
      Buffer.concat([Buffer.from(`${HEAD}\nE1,a@x.io,J`), Buffer.from([0xf6]), Buffer.from('rg,Lo\n')]),
    );
    expect(csv.faults().list).toEqual([{ kind: 'encoding', line: 2, column: 'firstname', import_id: 'E1' }]);
  });

  it('shows an import_id of a usual length and place only, because few cells of a record are kept', async () => {
    const [empty, late] = [','.repeat(1_000), 'a,b,c,'.repeat(400)];
    const { csv } = await convert(`${HEAD}\n${'x'.repeat(256)}\nE1,${empty}\n`);
    expect(csv.faults().list.map(({ import_id }) => import_id)).toEqual([undefined, 'E1']);
    const columns = Array.from({ length: 1_000 }, (_, nth) => `c${nth}`).join();
    expect((await convert(`${columns},${HEAD}\n${late}E1\n`)).csv.faults().list).toMatchObject([{ import_id: undefined }]);
  });

  it('lists 100 faults and counts the others, and streams a large file in slices', async () => {
    const { csv, body } = await convert(`${HEAD}\n${'E1,a@x.io,Ada\n'.repeat(150)}${'E2,b@x.io,Bo,Li\n'.repeat(10_000)}`);
    expect(csv.faults().list).toHaveLength(100);
    expect(csv.faults().total).toBe(150);
    expect(Object(JSON.parse(body)).employees).toHaveLength(10_000);
  });
});

import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse, type Parser } from 'csv-parse';

const REQUIRED = ['import_id', 'email', 'firstname', 'lastname'];
const FIELDS = [...REQUIRED, 'reports_to_id', 'role', 'language'];
const DELIMITERS = [',', ';', '\t'];
const MAX_LISTED = 100;
const MAX_KEPT = 1_000;
const MAX_ID = 255;
const MAX_RECORD_BYTES = 2 ** 20;
// Twice the largest customer. The line and the empty cells of each record are kept: 8 bytes.
const MAX_RECORDS = 2_000_000;
const CHUNK_CHARACTERS = 2 ** 16;
const MAX_BYTES = 2 ** 30;
const TOO_LARGE = 'FILE_TOO_LARGE';
// What is left of other encodings: Latin 1, and UTF-16 without a byte order mark.
const UNREADABLE = /[\0\uFFFD]/;

type FaultKind = 'cells' | 'quotes' | 'encoding' | 'compression' | 'missing' | 'repeated' | 'large';

/** What makes a line of a CSV file unusable before its values are looked at. */
export interface CsvFault {
  readonly kind: FaultKind;
  readonly line: number;
  readonly column?: string | undefined;
  readonly import_id?: string | undefined;
}

interface CsvPlace {
  readonly line: number | undefined;
  readonly column: string | undefined;
  readonly isEmpty: boolean;
}

export interface CsvSnapshot {
  /** The body that an import of these employees would have. */
  readonly json: AsyncIterable<Buffer>;
  /** Returns the first faults and their number, once the body has been read. */
  faults(): { readonly list: readonly CsvFault[]; readonly total: number };
  /** Returns the place that a pointer into the body means, and whether the field there is empty. */
  placeOf(pointer: string): CsvPlace;
}

export const isCsv = (fileName: string): boolean => /\.(csv|tsv|txt)(\.gz)?$/i.test(fileName);

/**
 * Converts a CSV file into the body of an import while it is read. The first line names the
 * columns: the fields of an employee, and attributes. An empty cell clears the value, as in
 * docs/examples/nightly-import.mjs.
 */
export function readCsv(file: Readable): CsvSnapshot {
  const faults: Fault[] = [];
  let total = 0;
  // Of each record, the number of its line, and below it a bit for each empty field.
  const linesAndBlanks: number[] = [];
  let columns: Columns = { fields: [], attributes: [] };
  const add = (fault: Fault): void => {
    // A record that is too large is reported for each of its parts.
    const last = faults.at(-1);
    if (last?.kind === 'large' && last.line === fault.line) return;
    total += 1;
    if (faults.length === MAX_LISTED) return;
    // Only import_id is shown, and a record can have half a million cells.
    const record = fault.record?.slice(0, MAX_KEPT).map((cell) => (cell.length > MAX_ID ? '' : cell));
    faults.push({ ...fault, record });
  };

  async function* json(): AsyncGenerator<Buffer> {
    let text = '{"employees":[';
    for await (const { record, line } of recordsOf(file, (error) => add(faultOf(error)))) {
      const wrong = record.findIndex((cell) => UNREADABLE.test(cell));
      if (wrong >= 0) add({ kind: 'encoding', line, column: columns.fields[wrong], record });
      if (columns.fields.length === 0) {
        if (wrong >= 0) break;
        columns = columnsOf(record);
        const faulty = headFaults(columns);
        for (const fault of faulty) add(fault);
        if (faulty.length > 0) break;
        continue;
      }
      if (linesAndBlanks.length === MAX_RECORDS) {
        add({ kind: 'large', line });
        break;
      }
      text += `${linesAndBlanks.length === 0 ? '' : ','}${JSON.stringify(employeeOf(record, columns))}`;
      linesAndBlanks.push(line * EMPTY_CELLS + emptyCells(record, columns));
      if (text.length < CHUNK_CHARACTERS) continue;
      yield Buffer.from(text);
      text = '';
    }
    if (columns.fields.length === 0 && total === 0) for (const fault of headFaults(columns)) add(fault);
    yield Buffer.from(`${text}]}`);
  }

  return {
    json: json(),
    // Faults of the first records are found before their columns are known.
    faults: () => ({
      list: faults.map(({ record, ...fault }) => ({
        ...fault,
        import_id: record?.[columns.fields.indexOf('import_id')] || undefined,
      })),
      total,
    }),
    placeOf: (pointer) => {
      const [, index, attribute, field] = /^\/employees\/(\d+)(?:\/attributes\/(\d+)|\/([^/]+))?/.exec(pointer) ?? [];
      const lineAndBlanks = linesAndBlanks[Number(index)];
      if (lineAndBlanks === undefined) return { line: undefined, column: undefined, isEmpty: false };
      const isEmpty = field !== undefined && Math.floor((lineAndBlanks % EMPTY_CELLS) / bitOf(field)) % 2 === 1;
      return { line: Math.floor(lineAndBlanks / EMPTY_CELLS), column: field ?? columns.attributes[Number(attribute)], isEmpty };
    },
  };
}

interface Fault extends Omit<CsvFault, 'import_id'> {
  readonly record?: readonly string[] | undefined;
}

interface Columns {
  // By the number of the column: a field of an employee, or the name of an attribute.
  readonly fields: readonly string[];
  readonly attributes: readonly string[];
}

function columnsOf(head: readonly string[]): Columns {
  const fields = head.map((title) => {
    const field = title.toLowerCase().replaceAll(/[\s-]+/g, '_');
    return FIELDS.includes(field) ? field : title;
  });
  return { fields, attributes: fields.filter((name) => !FIELDS.includes(name)) };
}

function headFaults({ fields }: Columns): CsvFault[] {
  const missingFields = REQUIRED.filter((name) => !fields.includes(name));
  const earlierFields = new Set<string>();
  const repeatedFields = fields.filter((name) => earlierFields.size === earlierFields.add(name).size);
  return [
    ...missingFields.map((column) => ({ kind: 'missing', line: 1, column }) as const),
    ...repeatedFields.map((column) => ({ kind: 'repeated', line: 1, column }) as const),
  ];
}

function employeeOf(record: readonly string[], { fields }: Columns): object {
  const cells = fields.map((name, index) => [name, record[index] || null] as const);
  const attributes = cells.filter(([name]) => !FIELDS.includes(name));
  return {
    ...Object.fromEntries(cells.filter(([name]) => FIELDS.includes(name))),
    attributes: attributes.map(([name, value]) => ({ name, value: value && { name: value } })),
  };
}

const EMPTY_CELLS = 2 ** FIELDS.length;
const bitOf = (field: string): number => 2 ** FIELDS.indexOf(field);

const emptyCells = (record: readonly string[], { fields }: Columns): number =>
  fields.reduce((bits, name, index) => bits + (FIELDS.includes(name) && !record[index] ? bitOf(name) : 0), 0);

interface CsvRecord {
  readonly record: readonly string[];
  // Its last line, counted from 1.
  readonly line: number;
}

// The delimiter that the first line has most: spreadsheets use the semicolon in many languages.
function delimiterOf(start: Buffer): string {
  const [head = ''] = start.toString('utf8').split(/[\r\n]/, 1);
  const count = (delimiter: string): number => head.split(delimiter).length;
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ',';
}

async function* recordsOf(file: Readable, onFault: (error: Error) => void): AsyncGenerator<CsvRecord> {
  try {
    const chunks: AsyncIterator<Buffer> = file[Symbol.asyncIterator]();
    const start = await firstLine(chunks);
    const parser = openParser(delimiterOf(start), onFault);
    // An error of the file ends the loop below.
    pipeline(limitBytes(start, chunks), parser, () => {});
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>)
      yield { record, line: info.lines };
  } catch (error) {
    if (!(error instanceof CsvError) && !isOfStream(error)) throw error;
    onFault(error);
  }
}

// The first line can arrive in parts.
async function firstLine(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0);
  while (start.length < CHUNK_CHARACTERS && !/[\r\n]/.test(start.toString('latin1'))) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    start = Buffer.concat([start, value]);
  }
  return start;
}

// A compressed file can be a thousand times larger than what was sent.
async function* limitBytes(start: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield start;
  let bytes = start.length;
  for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw Object.assign(new Error('the file is too large'), { code: TOO_LARGE });
    yield chunk;
  }
}

function openParser(delimiter: string, onFault: (error: Error) => void): Parser {
  return parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: MAX_RECORD_BYTES,
    skip_empty_lines: true,
    skip_records_with_error: true,
    trim: true,
    on_skip: (error) => {
      if (error !== undefined) onFault(error);
    },
  });
}

const isOfStream = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && (error.code === TOO_LARGE || String(error.code).startsWith('Z_'));

function faultOf(error: Error): Fault {
  if (isOfStream(error)) return { kind: Reflect.get(error, 'code') === TOO_LARGE ? 'large' : 'compression', line: 1 };
  const { code, lines, record } = error as CsvError & { lines?: number; record?: unknown };
  const kind = code === 'CSV_MAX_RECORD_SIZE' ? 'large' : /LENGTH/.test(code) ? 'cells' : 'quotes';
  return { kind, line: lines ?? 1, record: Array.isArray(record) ? record.map(String) : undefined };
}

import type { RekeyRow } from '@survey/proto/common/v1/rekeying.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { linesOf, type SourceLine } from '../load/lines-of.ts';
import { openSource } from '../load/source.ts';

export interface RekeyMap {
  readonly isByEmail: boolean;
  readonly rows: readonly RekeyRow[];
}

/** The columns that a map may have, in any order; the last ones are those of an undo map. */
const FORMS = [
  ['old_import_id', 'new_import_id'],
  ['email', 'new_import_id'],
  ['old_import_id', 'new_import_id', 'employee_id', 'created_via'],
];
const DELIMITERS = [',', ';', '\t'];
const LISTED = 100;

/**
 * Reads a map of import_ids from CSV with commas, semicolons or tabs, as spreadsheets write it.
 * @throws CommandError that names all lines which cannot be read, up to 100
 */
export async function readMap(file: string): Promise<RekeyMap> {
  const source = await openSource(file);
  const lines = eachOf(linesOf(source.chunks));
  const first = await lines.next();
  const columns = first.done === true ? undefined : columnsOf(first.value);
  if (columns === undefined)
    throw new CommandError(
      `${file} is not a map: its first line must be old_import_id,new_import_id or email,new_import_id`,
      EXIT.usage,
    );
  const rows: RekeyRow[] = [];
  const faults: string[] = [];
  for await (const line of lines) {
    const row = rowOf(line, columns);
    if (typeof row === 'string') faults.push(`line ${line.number} ${row}`);
    else rows.push(row);
  }
  if (faults.length > LISTED) faults.splice(LISTED, faults.length, `and ${faults.length - LISTED} more lines`);
  if (faults.length > 0) throw new CommandError([`${file} cannot be read:`, ...faults].join('\n'));
  return { isByEmail: columns.names.includes('email'), rows };
}

async function* eachOf(batches: AsyncIterable<SourceLine[]>): AsyncGenerator<SourceLine> {
  for await (const lines of batches) yield* lines;
}

interface Columns {
  readonly names: readonly string[];
  readonly delimiter: string;
}

function columnsOf(line: SourceLine): Columns | undefined {
  if (!('text' in line)) return undefined;
  return DELIMITERS.map((delimiter) => {
    const names = (splitLine(line.text, delimiter) ?? []).map((name) => name.trim().toLowerCase());
    return { names, delimiter };
  }).find(({ names }) => FORMS.some((form) => form.toSorted().join() === names.toSorted().join()));
}

// Returns what is wrong with a line that is not a row.
function rowOf(line: SourceLine, { names, delimiter }: Columns): RekeyRow | string {
  if (!('text' in line)) return line.fault;
  const fields = splitLine(line.text, delimiter);
  if (fields === undefined) return 'has a quotation mark that is not closed, or not doubled within a quoted value';
  if (fields.length !== names.length) return `has ${fields.length} values instead of ${names.length}`;
  const valueOf = (name: string): string | undefined => fields[names.indexOf(name)];
  const employeeId = valueOf('employee_id');
  if (employeeId !== undefined && !/^[1-9][0-9]{0,14}$/.test(employeeId)) return 'has an employee_id that is not a number';
  return {
    line: line.number,
    key: valueOf('old_import_id') ?? valueOf('email') ?? '',
    new_import_id: valueOf('new_import_id') ?? '',
    ...(employeeId !== undefined && { employee_id: Number(employeeId), created_via: valueOf('created_via') ?? '' }),
  };
}

const QUOTED = /^"(?:[^"]|"")*"$/;

/** Returns the values of a line of CSV; undefined when its quotation marks make no sense. */
export function splitLine(text: string, delimiter: string): string[] | undefined {
  const fields: string[] = [];
  let field: string | undefined;
  for (const piece of text.replace(/\r$/, '').split(delimiter)) {
    field = field === undefined ? piece : field + delimiter + piece;
    // A delimiter within quotation marks belongs to the value.
    if (field.startsWith('"') && !QUOTED.test(field)) continue;
    fields.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    field = undefined;
  }
  return field === undefined ? fields : undefined;
}

/** Returns the values as a line of CSV with commas. */
export function joinLine(values: readonly (string | number)[]): string {
  return values
    .map((value) => (/[",;\t\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value))
    .join(',');
}

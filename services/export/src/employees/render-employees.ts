import type { EmployeesPage } from './employees-page.ts';

/** What an option contributes to an employee's attributes, escaped once for all employees. */
export interface OptionFragment {
  readonly attributeId: number;
  // The attribute's entry up to the end of this value.
  readonly entry: string;
  readonly value: string;
}

// Rendering this much takes 1 ms to 2 ms.
const PIECE_CHARACTERS = 256 * 1024;

/**
 * Renders the response of GET /v1/employees as chunks of JSON text (docs/rules/resources.md), twice
 * as fast as JSON.stringify. `optionIds` contains the option ids of each row, sorted by attribute.
 */
export function* renderEmployees(
  { totalCount, rows }: Pick<EmployeesPage, 'totalCount' | 'rows'>,
  optionIds: readonly (readonly number[])[],
  fragments: ReadonlyMap<number, OptionFragment>,
): Generator<string> {
  let piece = `{"total_count":${totalCount},"employees":[`;
  for (const [index, [id, importId, email, firstname, lastname, role, isDeleted]] of rows.entries()) {
    const attributes = renderAttributes(optionIds[index] ?? [], fragments);
    piece +=
      `${index === 0 ? '' : ','}{"id":${id},"import_id":${JSON.stringify(importId)},"email":${JSON.stringify(email)}` +
      `,"firstname":${JSON.stringify(firstname)},"lastname":${JSON.stringify(lastname)},"role":${JSON.stringify(role)}` +
      `,"is_deleted":${isDeleted},"attributes":${attributes}}`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}`;
}

// Options of one attribute are adjacent and share one entry.
function renderAttributes(optionIds: readonly number[], fragments: ReadonlyMap<number, OptionFragment>): string {
  let json = '';
  let attributeId: number | undefined;
  for (const id of optionIds) {
    const fragment = fragments.get(id);
    if (fragment === undefined) throw new Error(`option ${id} has no name`);
    if (fragment.attributeId === attributeId) json += `,${fragment.value}`;
    else json += `${attributeId === undefined ? '' : ']},'}${fragment.entry}`;
    attributeId = fragment.attributeId;
  }
  return attributeId === undefined ? '[]' : `[${json}]}]`;
}

const ZERO = 48;
const NINE = 57;

/**
 * Parses a PostgreSQL integer[] in text form, such as {12,7}: ten times faster than the driver's
 * general parser.
 */
export function parseIntegers(text: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  for (let i = 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= ZERO && code <= NINE) value = value * 10 + code - ZERO;
    else if (i > 1) {
      numbers.push(value);
      value = 0;
    }
  }
  return numbers;
}

/**
 * Returns a line of CSV (RFC 4180). Text that a spreadsheet would read as a formula gets a leading
 * apostrophe, even after a semicolon, tab or line feed within a cell, where some programs split.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

// The full-width signs are read as their ASCII counterparts.
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"']*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;

function cell(value: string): string {
  const safe = value.replaceAll(FORMULA, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

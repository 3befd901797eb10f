/** Prints lines with equal numbers of cells as a Markdown table, for terminals and the report. */
export function printTable(head: readonly string[], lines: readonly (readonly string[])[]): void {
  const rule = head.map(() => '---');
  for (const line of [head, rule, ...lines]) process.stdout.write(`| ${line.join(' | ')} |\n`);
  process.stdout.write('\n');
}

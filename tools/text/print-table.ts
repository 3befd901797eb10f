/** Prints lines of equally many cells as a Markdown table, which reads in a terminal and in the report alike. */
export function printTable(head: readonly string[], lines: readonly (readonly string[])[]): void {
  const rule = head.map(() => '---');
  for (const line of [head, rule, ...lines]) process.stdout.write(`| ${line.join(' | ')} |\n`);
  process.stdout.write('\n');
}

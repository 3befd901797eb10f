import { isMap, isScalar, parseDocument, type Node, type Pair } from 'yaml';

interface DocumentedValue {
  readonly name: string;
  readonly standard: string;
  readonly text: string;
}

/** Returns every value of the chart with the comment above it that begins with `--`. */
export function documentedValues(yaml: string): DocumentedValue[] {
  const { contents } = parseDocument(yaml);
  return isMap<Node, Node>(contents) ? contents.items.flatMap((pair) => valuesOf(pair, '')) : [];
}

/** Returns the values as the Markdown table of a README. */
export function valuesTable(yaml: string): string {
  const rows = documentedValues(yaml).map(({ name, standard, text }) => `| \`${name}\` | \`${standard}\` | ${text} |`);
  return ['', '| Value | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function valuesOf({ key, value }: Pair<Node, Node | null>, path: string): DocumentedValue[] {
  const name = `${path}${isScalar(key) ? String(key.value) : ''}`;
  if (isMap<Node, Node>(value) && value.items.length > 0)
    return value.items.flatMap((pair, index) => valuesOf(withComment(pair, value, index), `${name}.`));
  return [{ name, standard: JSON.stringify(value?.toJSON() ?? null), text: textOf(key.commentBefore) }];
}

// The parser attaches the comment above the first key of a map to the map.
function withComment(pair: Pair<Node, Node | null>, map: Node, index: number): Pair<Node, Node | null> {
  if (index === 0 && map.commentBefore && !pair.key.commentBefore) pair.key.commentBefore = map.commentBefore;
  return pair;
}

function textOf(comment: string | null | undefined): string {
  const lines = (comment ?? '').split('\n').map((line) => line.trim());
  const start = lines.findLastIndex((line) => line.startsWith('-- '));
  return start < 0 ? '' : lines.slice(start).join(' ').slice(3).replaceAll('|', '\\|');
}

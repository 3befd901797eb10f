import { isMap, isScalar, parseDocument, type Node, type Pair } from 'yaml';

export interface DocumentedValue {
  readonly name: string;
  readonly standard: string;
  readonly text: string;
}

/** Every value that can be set, with the comment that begins with `--` above it. */
export function documentedValues(yaml: string): DocumentedValue[] {
  const { contents } = parseDocument(yaml);
  return isMap<Node, Node>(contents) ? contents.items.flatMap((pair) => valuesOf(pair, '')) : [];
}

/** The same as the table of a README. */
export function valuesTable(yaml: string): string {
  const rows = documentedValues(yaml).map(({ name, standard, text }) => `| \`${name}\` | \`${standard}\` | ${text} |`);
  return ['', '| value | default | what it does |', '|---|---|---|', ...rows, ''].join('\n');
}

function valuesOf({ key, value }: Pair<Node, Node | null>, path: string): DocumentedValue[] {
  const name = `${path}${isScalar(key) ? String(key.value) : ''}`;
  if (isMap<Node, Node>(value) && value.items.length > 0)
    return value.items.flatMap((pair, place) => valuesOf(carry(pair, value, place), `${name}.`));
  return [{ name, standard: JSON.stringify(value?.toJSON() ?? null), text: textOf(key.commentBefore) }];
}

// The parser hangs the comment above the first key of a map on the map.
function carry(pair: Pair<Node, Node | null>, map: Node, place: number): Pair<Node, Node | null> {
  if (place === 0 && map.commentBefore && !pair.key.commentBefore) pair.key.commentBefore = map.commentBefore;
  return pair;
}

function textOf(comment: string | null | undefined): string {
  const lines = (comment ?? '').split('\n').map((line) => line.trim());
  const start = lines.findLastIndex((line) => line.startsWith('-- '));
  return start < 0 ? '' : lines.slice(start).join(' ').slice(3).replaceAll('|', '\\|');
}

interface OpenContainer {
  /** Keys found so far; undefined in an array. */
  keys: Set<string> | undefined;
  /** Current key or index in the container. */
  at: string | number;
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

/**
 * Returns the paths of all keys that an object repeats (rule IMPORT-REQUEST-JSON-2), which
 * JSON.parse ignores. Slow compared with JSON.parse: use only for texts known to contain a repeated
 * key.
 * @param text valid JSON
 */
export function duplicateKeys(text: string): (string | number)[][] {
  const found: (string | number)[][] = [];
  const open: OpenContainer[] = [];
  let lastString = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push({ keys: token === '{' ? new Set() : undefined, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':' && isRepeated(open.at(-1), lastString)) found.push(open.map(({ at }) => at));
    else if (token === ',') countItem(open.at(-1));
    else lastString = token;
  }
  return found;
}

function isRepeated(object: OpenContainer | undefined, keyToken: string): boolean {
  if (object?.keys === undefined) return false;
  const key = String(JSON.parse(keyToken));
  object.at = key;
  const before = object.keys.size;
  return object.keys.add(key).size === before;
}

function countItem(container: OpenContainer | undefined): void {
  if (typeof container?.at === 'number') container.at += 1;
}

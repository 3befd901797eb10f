interface OpenContainer {
  /** Keys met so far; undefined in an array. */
  keys: Set<string> | undefined;
  /** The key or index at which the container stands now. */
  at: string | number;
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

/**
 * The paths of all keys that an object of this JSON text gives more than once (rule IMPORT-REQUEST-JSON-2). JSON.parse keeps the last one silently.
 * Slow next to JSON.parse: only for a text that is known to hold such a key.
 *
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

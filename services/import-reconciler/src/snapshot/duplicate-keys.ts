import { visit } from 'jsonc-parser';

/**
 * Returns the paths of all keys that an object repeats (rule IMPORT-REQUEST-JSON-2), which
 * JSON.parse ignores. Slow compared with JSON.parse: use only for texts known to contain a repeated
 * key.
 * @param text valid JSON
 */
export function duplicateKeys(text: string): (string | number)[][] {
  const found: (string | number)[][] = [];
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, _offset, _length, _line, _column, path) => {
      if (open.at(-1)?.has(key)) found.push([...path(), key]);
      open.at(-1)?.add(key);
    },
  });
  return found;
}

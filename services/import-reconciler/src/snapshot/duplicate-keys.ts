import { visit } from 'jsonc-parser';

/**
 * Reports the path of each key that an object repeats (rule IMPORT-REQUEST-JSON-2), which
 * JSON.parse ignores. A record may have a million, so none is kept. Slow compared with JSON.parse:
 * use only for texts known to contain a repeated key.
 * @param text valid JSON
 */
export function findDuplicateKeys(text: string, report: (path: (string | number)[]) => void): void {
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, _offset, _length, _line, _column, path) => {
      if (open.at(-1)?.has(key)) report([...path(), key]);
      open.at(-1)?.add(key);
    },
  });
}

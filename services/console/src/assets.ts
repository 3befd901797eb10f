import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const FILES = {
  'console.css': { url: new URL('../assets/console.css', import.meta.url), type: 'text/css; charset=utf-8' },
  'console.js': { url: new URL('../assets/console.js', import.meta.url), type: 'text/javascript; charset=utf-8' },
  'icon.svg': { url: new URL('../assets/icon.svg', import.meta.url), type: 'image/svg+xml' },
  'sample.csv': { url: new URL('../assets/sample.csv', import.meta.url), type: 'text/csv; charset=utf-8' },
  'sample.json': { url: new URL('../assets/sample.json', import.meta.url), type: 'application/json' },
  'htmx.js': { url: new URL(import.meta.resolve('htmx.org/dist/htmx.min.js')), type: 'text/javascript; charset=utf-8' },
} as const;

type AssetName = keyof typeof FILES;

export interface Assets {
  /**
   * Returns the URL of a file. It changes with the content, so that browsers can cache it
   * permanently.
   */
  path(name: AssetName): string;
  find(path: string): { readonly body: Buffer; readonly type: string } | undefined;
}

export async function loadAssets(): Promise<Assets> {
  const entries = await Promise.all(
    Object.entries(FILES).map(async ([name, { url, type }]) => {
      const body = await readFile(fileURLToPath(url));
      const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
      return { name, path: `/assets/${hash}/${name}`, body, type };
    }),
  );
  return {
    path: (name) => entries.find((entry) => entry.name === name)?.path ?? '/',
    find: (path) => entries.find((entry) => entry.path === path),
  };
}

import { readFile, rm, writeFile } from 'node:fs/promises';
import { defineConfig } from 'tsup';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from './package.json' with { type: 'json' };

const CATALOG = new URL('../../pnpm-workspace.yaml', import.meta.url);
const METAFILE = new URL('dist/metafile-esm.json', import.meta.url);

const metafile = z.object({
  outputs: z.record(z.string(), z.object({ imports: z.array(z.object({ path: z.string(), external: z.boolean().optional() })) })),
});

export default defineConfig({
  entry: ['src/main.ts'],
  format: ['esm'],
  target: 'node24',
  // Packages of the workspace are not published; libraries are dependencies.
  noExternal: [/^@survey\//],
  skipNodeModulesBundle: true,
  metafile: true,
  sourcemap: true,
  clean: true,
  tsconfig: '../../tsconfig.json',
  onSuccess: writeManifest,
});

// The package depends on what the bundle imports, not on the workspace.
async function writeManifest(): Promise<void> {
  const { catalog } = z.object({ catalog: z.record(z.string(), z.string()) }).parse(parse(await readFile(CATALOG, 'utf8')));
  const { outputs } = metafile.parse(JSON.parse(await readFile(METAFILE, 'utf8')));
  await rm(METAFILE);
  const imported = Object.values(outputs).flatMap(({ imports }) =>
    imports.flatMap(({ path, external }) => (external ? [path] : [])),
  );
  const names = imported.map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
  const dependencies = Object.fromEntries(Object.entries(catalog).filter(([name]) => names.includes(name)));
  const { name, version, description, license, type, engines } = manifest;
  const published = { name, version, description, license, type, engines, bin: { surveyctl: 'main.js' }, dependencies };
  await writeFile(new URL('dist/package.json', import.meta.url), `${JSON.stringify(published, undefined, 2)}\n`);
}

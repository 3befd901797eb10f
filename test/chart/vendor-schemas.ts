import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { KINDS } from './kinds.ts';

/*
 * Builds schemas/ from Kubernetes' OpenAPI documents (<version>.json.gz) and from the JSON schemas
 * of other projects' definitions: only the kinds of the chart, without descriptions.
 *
 *   node test/chart/vendor-schemas.ts <OpenAPI documents> <JSON schemas> <Pod Security fixtures>
 *
 * Each argument is a folder. The last one is `restricted` of kubernetes/pod-security-admission,
 * with its folders pass and fail.
 */
const [openapiFolder, crdFolder, fixtureFolder] = process.argv.slice(2);
if (openapiFolder === undefined || crdFolder === undefined || fixtureFolder === undefined)
  throw new Error('cannot build schemas: the folders of OpenAPI documents, JSON schemas and Pod Security fixtures are required');
const target = new URL('schemas/', import.meta.url);

const openapi = z.object({
  definitions: z.record(
    z.string(),
    z.looseObject({
      'x-kubernetes-group-version-kind': z
        .array(z.object({ group: z.string(), version: z.string(), kind: z.string() }))
        .optional(),
    }),
  ),
});

for (const file of await readdir(openapiFolder)) {
  const { definitions } = openapi.parse(JSON.parse(gunzipSync(await readFile(join(openapiFolder, file))).toString()));
  await save(`kubernetes-${basename(file, '.gz')}`, { definitions: reachable(definitions, rootsOf(definitions)) });
}
for (const file of await readdir(crdFolder)) await save(file, JSON.parse(await readFile(join(crdFolder, file), 'utf8')));

for (const verdict of ['pass', 'fail']) {
  const folder = join(fixtureFolder, verdict);
  const files = (await readdir(folder)).sort();
  const pods = await Promise.all(files.map(async (file) => `# ${file}\n${await readFile(join(folder, file), 'utf8')}`));
  await writeFile(new URL(`pod-security-${verdict}.yaml`, target), pods.join('---\n'));
}

type Definitions = z.output<typeof openapi>['definitions'];

function rootsOf(definitions: Definitions): string[] {
  return Object.entries(definitions)
    .filter(([, definition]) =>
      definition['x-kubernetes-group-version-kind']?.some(({ group, version, kind }) =>
        KINDS.has(`${group === '' ? version : `${group}/${version}`} ${kind}`),
      ),
    )
    .map(([name]) => name);
}

function reachable(definitions: Definitions, roots: readonly string[]): Definitions {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const definition = definitions[name];
    if (found.has(name) || definition === undefined) return;
    found.add(name);
    for (const [, next] of JSON.stringify(definition).matchAll(/#\/definitions\/([^"]+)"/g)) visit(next ?? '');
  };
  roots.forEach(visit);
  return Object.fromEntries(Object.entries(definitions).filter(([name]) => found.has(name)));
}

async function save(name: string, schema: unknown): Promise<void> {
  await writeFile(new URL(name, target), `${JSON.stringify(schema, adapt)}\n`);
}

// A property with one of these names is an object.
function adapt(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (key === 'description') return undefined;
  // Converts Go's syntax for ignoring case.
  return key === 'pattern' ? value.replace(/^\^\(\?i\)(.*)\$$/, '^(?i:$1)$') : value;
}

import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packAll } from './pack-all.ts';

const USAGE = `Packs what others install into dist/, with the checksums of all files in SHA256SUMS:
npm packages, the Python client, the Airbyte and dlt connectors, and the Helm chart.
The same sources give the same files, to the byte.

  npm run pack

Exit codes: 0 packed, even if a tool is missing and the last lines say what it would have packed; 1 failed; 2 wrong usage.`;

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, strict: false, allowPositionals: true });
if (values['help'] === true || positionals.length > 0 || Object.keys(values).length > 0) {
  console.log(USAGE);
  process.exit(values['help'] === true ? 0 : 2);
}

// A file of another version must not stay among the new ones.
await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
const missing = await packAll(DIST);
for (const name of (await readdir(DIST, { recursive: true })).sort()) {
  const file = await stat(join(DIST, name));
  if (file.isFile()) console.log(`${String(Math.ceil(file.size / 1024)).padStart(6)} KiB  dist/${name}`);
}
for (const reason of missing) console.log(`not packed: ${reason}`);

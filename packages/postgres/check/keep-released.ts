import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER, migrationNames } from '@survey/postgres/schema-compatibility.ts';

// Part of a release (`npm run keep-released`): freezes the existing migrations; later ones must not
// break this release's code.
const names = await migrationNames();
const hashed = await Promise.all(
  names.map(async (name) => {
    const text = await readFile(join(MIGRATIONS_FOLDER, `${name}.sql`));
    return [name, createHash('sha256').update(text).digest('hex')] as const;
  }),
);
const file = new URL('../released-migrations.json', import.meta.url);
await writeFile(file, `${JSON.stringify(Object.fromEntries(hashed), null, 2)}\n`);
execFileSync('buf', ['build', '--exclude-source-info', '--output', 'proto/released.binpb'], { stdio: 'inherit' });

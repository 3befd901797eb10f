import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@survey/local/find-program.ts';

const FOLDER = fileURLToPath(new URL('../../../.local/tools', import.meta.url));

/** Paths of external programs, by their names in `.ci/tools`; undefined when not installed. */
export interface Tools {
  readonly helm3: string | undefined;
  readonly helm4: string | undefined;
  readonly promtool: string | undefined;
}

export async function findTools(): Promise<Tools> {
  return { helm3: await find('helm3'), helm4: await find('helm4'), promtool: await find('promtool') };
}

async function find(name: string): Promise<string | undefined> {
  const made = join(FOLDER, name);
  return access(made, constants.X_OK).then(
    () => made,
    () => findProgram(name),
  );
}

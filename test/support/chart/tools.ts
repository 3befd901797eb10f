import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@survey/local/find-program.ts';
import { runTool } from './run-tool.ts';

const FOLDER = fileURLToPath(new URL('../../../.local/tools', import.meta.url));

/** Paths of external programs, by their names in `.ci/tools`; undefined when not installed. */
export interface Tools {
  readonly helm3: string | undefined;
  readonly helm4: string | undefined;
  readonly promtool: string | undefined;
}

export async function findTools(): Promise<Tools> {
  const [helm3, helm4, promtool] = await Promise.all(['helm3', 'helm4', 'promtool'].map(find));
  const helm = await findProgram('helm');
  const version = helm === undefined ? '' : (await runTool(helm, ['version', '--short'])).stdout;
  return {
    helm3: helm3 ?? (version.startsWith('v3.') ? helm : undefined),
    helm4: helm4 ?? (version.startsWith('v4.') ? helm : undefined),
    promtool,
  };
}

async function find(name: string): Promise<string | undefined> {
  const made = join(FOLDER, name);
  return access(made, constants.X_OK).then(
    () => made,
    () => findProgram(name),
  );
}

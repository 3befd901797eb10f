import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { packAll } from '../../tools/pack/pack-all.ts';
import { setup as startStores } from '../global-setup.ts';
import { installPythonTools } from './python.ts';
import { reportSkipped } from '../support/skipped.ts';
import { installRuntimes } from './runtimes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    // Why the packages cannot be tried on this machine.
    missing: string | undefined;
    pythonMissing: string | undefined;
    // Folder with what `npm run pack` writes, and the parts that it left out.
    dist: string;
    omissions: readonly string[];
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dist = await mkdtemp(join(tmpdir(), 'survey-dist-'));
  const [missing, pythonMissing, omissions] = await Promise.all([installRuntimes(), installPythonTools(), packAll(dist)]);
  project.provide('missing', missing);
  project.provide('pythonMissing', pythonMissing);
  project.provide('dist', dist);
  project.provide('omissions', omissions);
  if (missing !== undefined) reportSkipped('outside', `packages for JavaScript: ${missing}`);
  if (pythonMissing !== undefined) reportSkipped('outside', `what runs in Python: ${pythonMissing}`);
  for (const omission of omissions) reportSkipped('outside', omission);
  const stopStores = await startStores(project);
  return async () => {
    await stopStores();
    await rm(dist, { recursive: true });
  };
}

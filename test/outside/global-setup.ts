import type { TestProject } from 'vitest/node';
import { setup as startStores } from '../global-setup.ts';
import { installPythonTools } from './python.ts';
import { installRuntimes } from './runtimes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    // Why the packages cannot be tried on this machine.
    missing: string | undefined;
    pythonMissing: string | undefined;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [missing, pythonMissing] = await Promise.all([installRuntimes(), installPythonTools()]);
  project.provide('missing', missing);
  project.provide('pythonMissing', pythonMissing);
  for (const reason of [missing, pythonMissing])
    if (reason !== undefined) process.stderr.write(`\noutside tests: skipped: ${reason}\n`);
  return startStores(project);
}

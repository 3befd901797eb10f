import type { TestProject } from 'vitest/node';
import { setup as startStores } from '../global-setup.ts';
import { installPythonTools } from './python.ts';
import { reportSkipped } from '../support/skipped.ts';
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
  if (missing !== undefined) reportSkipped('outside', `packages for JavaScript: ${missing}`);
  if (pythonMissing !== undefined) reportSkipped('outside', `what runs in Python: ${pythonMissing}`);
  return startStores(project);
}

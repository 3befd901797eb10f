import type { TestProject } from 'vitest/node';
import { setup as startStores } from '../global-setup.ts';
import { installRuntimes } from './runtimes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    // Why the packages cannot be tried on this machine.
    missing: string | undefined;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = await installRuntimes();
  project.provide('missing', missing);
  if (missing !== undefined) process.stderr.write(`\noutside tests: skipped: ${missing}\n`);
  return startStores(project);
}

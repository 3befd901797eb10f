import { randomUUID } from 'node:crypto';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { forEachService, SERVICES, type ServiceName } from '@survey/local/service-environments.ts';
import { podMemory } from './chart-memory.ts';

// Where control groups of memory are, and the file with their limit: version 1, then 2.
const ROOTS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max' },
];
const JOIN = new URL('join-group.ts', import.meta.url).href;
const MEBIBYTE = 2 ** 20;

/**
 * Returns the NODE_OPTIONS with which a service has the heap and the memory that the chart gives
 * its pod: the kernel kills it if it needs more. Where a machine allows no control groups, only the
 * heap is limited.
 */
export async function limitServices(started: AsyncDisposableStack): Promise<(service: ServiceName) => string> {
  const groups = new Map<ServiceName, string>();
  for (const service of SERVICES) {
    const folder = await createGroup(`survey-${service}-${randomUUID()}`, podMemory(service).podMebibytes * MEBIBYTE);
    if (folder === undefined) continue;
    groups.set(service, folder);
    started.defer(() => rmdir(folder));
  }
  if (groups.size === 0) process.emitWarning('only the heap of services is limited: this machine allows no control groups');
  const options = forEachService((service) => {
    const folder = groups.get(service);
    const join = folder === undefined ? '' : ` --import=${JOIN}?folder=${folder}`;
    return `--max-old-space-size=${podMemory(service).heapMebibytes}${join}`;
  });
  return (service) => options[service];
}

async function createGroup(name: string, bytes: number): Promise<string | undefined> {
  for (const { root, limit } of ROOTS) {
    const folder = `${root}/${name}`;
    try {
      await mkdir(folder);
      // The kernel makes this file in a control group, and nowhere else.
      await writeFile(`${folder}/${limit}`, String(bytes), { flag: 'r+' });
      return folder;
    } catch {
      await rmdir(folder).catch(() => undefined);
    }
  }
  return undefined;
}

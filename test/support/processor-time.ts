import { readFile } from 'node:fs/promises';
import { descendants, serviceOf } from './process-memory.ts';

const TICKS_PER_SECOND = 100;
const STORES: Readonly<Record<string, string>> = { postgres: 'PostgreSQL', 'nats-server': 'NATS', 'redis-server': 'Redis' };

/** Returns the user and system time of a process, in seconds. */
export async function processorSeconds(pid: number): Promise<number> {
  const [own] = await times(pid);
  return own;
}

/**
 * Returns the processor time of all services and stores that this process started, in seconds, by
 * name. Includes the connections of PostgreSQL that have ended.
 */
export async function processorSecondsByName(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const process of await descendants()) {
    const name = serviceOf(process) ?? STORES[process.name];
    if (name === undefined) continue;
    const [own, ended] = await times(process.pid);
    sums[name] = (sums[name] ?? 0) + own + ended;
  }
  return sums;
}

/** Returns the processor time of all services and stores during the work, in seconds. */
export async function processorSecondsWhile(work: () => Promise<void>): Promise<number> {
  const sum = async (): Promise<number> =>
    Object.values(await processorSecondsByName()).reduce((all, seconds) => all + seconds, 0);
  const before = await sum();
  await work();
  return (await sum()) - before;
}

// Time of the process itself, and of its children that have ended.
async function times(pid: number): Promise<[own: number, ended: number]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The process name, in parentheses, can contain any character.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return [(user + system) / TICKS_PER_SECOND, (endedUser + endedSystem) / TICKS_PER_SECOND];
}

import { readdir, readFile, writeFile } from 'node:fs/promises';

interface Descendant {
  readonly pid: number;
  readonly name: string;
  readonly commandLine: string;
}

/** Returns the processes that this one started, and those that they started. Linux only. */
export async function descendants(): Promise<Descendant[]> {
  const parents = new Map<number, number>();
  const all: Descendant[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const pid = Number(entry);
    const [status, commandLine] = await Promise.all([read(`/proc/${pid}/status`), read(`/proc/${pid}/cmdline`)]);
    parents.set(pid, Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    all.push({ pid, name: /^Name:\s+(.*)$/m.exec(status)?.[1] ?? '', commandLine });
  }
  return all.filter(({ pid }) => descends(pid, parents));
}

/** Returns the child processes that run services, by service name. Linux only. */
export async function servicePids(): Promise<Map<string, number>> {
  return new Map(
    (await descendants()).flatMap((process) => {
      const service = serviceOf(process);
      return service === undefined ? [] : [[service, process.pid] as const];
    }),
  );
}

/** Returns the service that a process runs, if any. */
export function serviceOf({ name, commandLine }: Descendant): string | undefined {
  // Wrappers of the service have the same arguments but are not node.
  if (name !== 'node' && name !== 'MainThread') return undefined;
  return /services\/([a-z-]+)\/src\/main\.ts\0$/.exec(commandLine)?.[1];
}

/** Returns the peak memory of a process since the last reset, in MiB. */
export async function peakMebibytes(pid: number): Promise<number> {
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(await read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024);
}

/**
 * Returns the memory of the process itself, without mapped files such as Node's own program, in
 * MiB.
 */
export async function anonymousMebibytes(pid: number): Promise<number> {
  return Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(await read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024);
}

/** Reads a metric of a service, in its unit. */
export async function metricOf(pid: number, name: string): Promise<number> {
  const { PROBE_LISTEN } = await environmentOf(pid);
  const metrics = await (await fetch(`http://${PROBE_LISTEN}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
}

/** Returns the environment of a process. */
export async function environmentOf(pid: number): Promise<Record<string, string>> {
  const entries = (await read(`/proc/${pid}/environ`)).split('\0').filter((entry) => entry.includes('='));
  return Object.fromEntries(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}

/** Resets the peak memory of a process. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

function descends(pid: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) if (at === process.pid) return true;
  return false;
}

async function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

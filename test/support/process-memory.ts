import { readdir, readFile, writeFile } from 'node:fs/promises';

/** Processes below ours that run a service's main.ts, by the service's name. Linux only. */
export async function servicePids(): Promise<Map<string, number>> {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const pid = Number(entry);
    const [status, commandLine] = await Promise.all([read(`/proc/${pid}/status`), read(`/proc/${pid}/cmdline`)]);
    parents.set(pid, Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    // Whatever wraps the service has the same arguments, but is not node.
    const isNode = /^Name:\s+(node|MainThread)$/m.test(status);
    const name = isNode ? /services\/([a-z-]+)\/src\/main\.ts\0$/.exec(commandLine)?.[1] : undefined;
    if (name !== undefined) names.set(pid, name);
  }
  return new Map([...names].filter(([pid]) => descends(pid, parents)).map(([pid, name]) => [name, pid]));
}

/** The most memory a process has held since the last reset, in MiB. */
export async function peakMebibytes(pid: number): Promise<number> {
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(await read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024);
}

/** Returns the memory of the process without mapped files, such as Node's program, in MiB. */
export async function anonymousMebibytes(pid: number): Promise<number> {
  return Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(await read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024);
}

/** The service's own metric, in its unit, since it was last asked for. */
export async function metricOf(pid: number, name: string): Promise<number> {
  const { PROBE_LISTEN } = await environmentOf(pid);
  const metrics = await (await fetch(`http://${PROBE_LISTEN}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
}

/** What a process was started with. */
export async function environmentOf(pid: number): Promise<Record<string, string>> {
  const entries = (await read(`/proc/${pid}/environ`)).split('\0').filter((entry) => entry.includes('='));
  return Object.fromEntries(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}

/** Begins a new peak. */
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

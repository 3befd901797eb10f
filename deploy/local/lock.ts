import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commandOf } from './process-command.ts';
import { readStack } from './stack-file.ts';

/**
 * Ensures that only one launcher uses this file's folder. A killed launcher's lock is replaced.
 * @throws when another launcher is running
 */
export async function takeLock(file: string): Promise<AsyncDisposable> {
  await mkdir(dirname(file), { recursive: true });
  for (;;) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
    } catch (error) {
      const holder = await runningHolder(file);
      if (holder !== undefined) {
        const url = (await readStack(join(dirname(file), 'stack.json')))?.gateway_url;
        const what = url === undefined ? 'what it started' : url;
        throw new Error(`npm start already runs here (process ${holder}): stop it first, or use ${what}`, { cause: error });
      }
      await rm(file, { force: true });
    }
  }
}

async function runningHolder(file: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (Number.isNaN(pid) || pid === process.pid) return undefined;
  const command = await commandOf(pid);
  return command?.includes('start.ts') === true ? pid : undefined;
}

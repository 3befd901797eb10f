import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { causeOf } from '@survey/process/cause-of.ts';
import { CommandError, EXIT } from './command-error.ts';

/** A named account-admin and the certificate for it. Paths are absolute. */
interface Context {
  readonly address: string;
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly caFile: string } | undefined;
}

interface Contexts {
  readonly current?: string | undefined;
  readonly contexts: Readonly<Record<string, Context>>;
}

function contextsFile(): string {
  const folder = process.env['XDG_CONFIG_HOME'];
  return join(folder === undefined || folder === '' ? join(homedir(), '.config') : folder, 'surveyctl', 'contexts.json');
}

/** Reads the contexts of this user; an absent file has none. */
export async function readContexts(): Promise<Contexts> {
  const file = contextsFile();
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new CommandError(`cannot read ${file}: ${causeOf(error)}`);
    return undefined;
  });
  if (text === undefined) return { contexts: {} };
  try {
    // Written by writeContexts only.
    return JSON.parse(text) as Contexts;
  } catch {
    throw new CommandError(`${file} is not valid JSON: delete it and add the contexts again`);
  }
}

export async function writeContexts(contexts: Contexts): Promise<void> {
  const file = contextsFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${JSON.stringify(contexts, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Returns the named context, else the current one, if any. */
export async function findContext(name: string | undefined): Promise<Context | undefined> {
  const { current, contexts } = await readContexts();
  return name === undefined
    ? current === undefined
      ? undefined
      : contextNamed(contexts, current)
    : contextNamed(contexts, name);
}

export function contextNamed(contexts: Contexts['contexts'], name: string): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (context === undefined) throw new CommandError(`there is no context ${name}: see \`surveyctl context list\``, EXIT.usage);
  return context;
}

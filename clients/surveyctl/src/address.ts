import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseListen } from '@survey/process/listen.ts';
import { CommandError, EXIT } from './command-error.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const STACK = join('.local', 'stack.json');

interface AddressSources {
  // Value of the command-line option.
  option: string | undefined;
  // Value of the environment variable.
  environment: string | undefined;
  folder: string;
}

/**
 * Returns account-admin's host:port: as given, else from the file of `npm start` in the folder, one
 * of its parents or the repository.
 */
export async function findAddress({ option, environment, folder }: AddressSources): Promise<string> {
  if (option !== undefined) return checkAddress(option, '--address');
  if (isGiven(environment)) return checkAddress(environment, 'ACCOUNT_ADMIN_ADDRESS');
  return (await findInStack(folder, 'account_admin_address')) ?? missing('--address host:port or ACCOUNT_ADMIN_ADDRESS');
}

/** Returns the bus URL, nats://host:port, found in the same way. */
export async function findNatsUrl({ option, environment, folder }: AddressSources): Promise<string> {
  if (option !== undefined) return option;
  if (isGiven(environment)) return environment;
  return (await findInStack(folder, 'nats_url')) ?? missing('--nats nats://host:port or NATS_URL');
}

function isGiven(environment: string | undefined): environment is string {
  return environment !== undefined && environment !== '';
}

function missing(alternatives: string): never {
  throw new CommandError(
    `cannot find the service: give ${alternatives}, add a context (\`surveyctl context add\`), or run \`npm start\` in the repository`,
  );
}

/** Returns the address if it is host:port. */
export function checkAddress(address: string, source: string): string {
  try {
    if (parseListen(address).port > 0) return address;
  } catch {
    // An address that cannot be parsed is reported below, as is port 0.
  }
  throw new CommandError(`${source} must be host:port, such as 127.0.0.1:7001`, EXIT.usage);
}

/** What `npm start` wrote about its processes. */
export interface LocalStack {
  readonly database_url: string;
  readonly nats_url: string;
  readonly redis_url?: string | undefined;
  readonly services: Readonly<Record<string, { readonly serve: string; readonly probe: string }>>;
  readonly log_file: string;
}

/** Returns the stack in whose file `findAddress` finds account-admin, if any. */
export async function findLocalStack(folder: string): Promise<LocalStack | undefined> {
  const stackFile = await findStack(folder);
  if (stackFile === undefined) return undefined;
  // Loaded here, because `--help` imports this module and would wait for it.
  const { z } = await import('zod');
  const localStack = z.object({
    database_url: z.string(),
    nats_url: z.string(),
    redis_url: z.string().optional(),
    services: z.record(z.string(), z.object({ serve: z.string(), probe: z.string() })),
    log_file: z.string(),
  });
  return localStack.safeParse(stackFile.stack).data;
}

async function findInStack(folder: string, property: string): Promise<string | undefined> {
  const localStack = await findStack(folder);
  if (localStack === undefined) return undefined;
  const { file, stack } = localStack;
  const value: unknown = typeof stack === 'object' && stack !== null ? Reflect.get(stack, property) : undefined;
  if (typeof value !== 'string') throw new CommandError(`cannot find ${property} in ${file}: run \`npm start\` again`);
  return value;
}

async function findStack(folder: string): Promise<{ file: string; stack: unknown } | undefined> {
  for (const candidate of [...withParents(folder), REPOSITORY]) {
    const file = join(candidate, STACK);
    // A folder without a stack, or one of another user.
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return { file, stack: parsed(text) };
  }
  return undefined;
}

function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

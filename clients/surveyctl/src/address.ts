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
    // Reported below, like port 0.
  }
  throw new CommandError(`${source} must be host:port, such as 127.0.0.1:7001`, EXIT.usage);
}

async function findInStack(folder: string, property: string): Promise<string | undefined> {
  for (const candidate of [...withParents(folder), REPOSITORY]) {
    const file = join(candidate, STACK);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const address = textIn(text, property);
    if (address === undefined) throw new CommandError(`cannot find ${property} in ${file}: run \`npm start\` again`);
    return address;
  }
  return undefined;
}

function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

function textIn(json: string, property: string): string | undefined {
  try {
    const stack: unknown = JSON.parse(json);
    const value: unknown = typeof stack === 'object' && stack !== null ? Reflect.get(stack, property) : undefined;
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseListen } from '@survey/process/listen.ts';
import { CommandFailure, EXIT } from './failure.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const STACK = join('.local', 'stack.json');

export interface AddressSources {
  // --address
  option: string | undefined;
  // ACCOUNT_ADMIN_ADDRESS
  environment: string | undefined;
  folder: string;
}

/** Where account-admin answers, as host:port: as given, else as `npm start` wrote it, in the folder, a parent of it or the repository. */
export async function findAddress({ option, environment, folder }: AddressSources): Promise<string> {
  if (option !== undefined) return checkAddress(option, '--address');
  if (environment !== undefined && environment !== '') return checkAddress(environment, 'ACCOUNT_ADMIN_ADDRESS');
  for (const candidate of [...withParents(folder), REPOSITORY]) {
    const address = await readStack(join(candidate, STACK));
    if (address !== undefined) return address;
  }
  throw new CommandFailure('no running stack found: run `npm start`, or give --address host:port or ACCOUNT_ADMIN_ADDRESS');
}

function checkAddress(address: string, source: string): string {
  try {
    if (parseListen(address).port > 0) return address;
  } catch {
    // Told below, like port 0.
  }
  throw new CommandFailure(`${source} must be host:port, such as 127.0.0.1:7001`, EXIT.usage);
}

function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

async function readStack(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const address = addressIn(text);
  if (address === undefined) throw new CommandFailure(`${file} names no account_admin_address: run \`npm start\` again`);
  return address;
}

function addressIn(text: string): string | undefined {
  try {
    const stack: unknown = JSON.parse(text);
    if (typeof stack !== 'object' || stack === null || !('account_admin_address' in stack)) return undefined;
    return typeof stack.account_admin_address === 'string' ? stack.account_admin_address : undefined;
  } catch {
    return undefined;
  }
}

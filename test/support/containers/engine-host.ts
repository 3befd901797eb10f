import { once } from 'node:events';
import { createServer } from 'node:net';
import { getContainerRuntimeClient } from 'testcontainers';

export const LOOPBACK = '127.0.0.1';

/** Returns the host of published ports: LOOPBACK when the engine runs on this machine. */
export async function engineHost(): Promise<string> {
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
  // `localhost` may resolve to ::1, where no server listens. When testcontainers takes this machine
  // for a container, the host is the engine's bridge, also an address of this machine.
  return host === 'localhost' || (await isOurs(host)) ? LOOPBACK : host;
}

// Tries to listen: the machine's address list lacks the bridge while no container runs.
async function isOurs(host: string): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(0, host), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

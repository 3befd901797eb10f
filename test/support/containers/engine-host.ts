import { once } from 'node:events';
import { createServer } from 'node:net';
import { getContainerRuntimeClient } from 'testcontainers';

export const LOOPBACK = '127.0.0.1';

/** Where the ports are that the engine publishes: LOOPBACK when it runs on this machine. */
export async function engineHost(): Promise<string> {
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
  // `localhost` may be ::1 as well, where nothing of ours listens. Where testcontainers takes this machine for a container, the host
  // is the engine's bridge, which is an address of this machine all the same.
  return host === 'localhost' || (await isOurs(host)) ? LOOPBACK : host;
}

// By listening there: the list of the machine's addresses lacks the bridge as long as no container runs.
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

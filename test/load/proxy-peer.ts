import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const HOP = fileURLToPath(new URL('./proxy-hop.ts', import.meta.url));

export interface ProxyPeer extends AsyncDisposable {
  readonly url: string;
}

/** The peer of the gateway: a server that holds one answer, and a plain node:http proxy before it, in a process each. */
export async function startProxyPeer(body: Buffer): Promise<ProxyPeer> {
  const origin = fork(HOP, ['origin']);
  origin.send(body.toString('base64'));
  const [originPort] = (await once(origin, 'message')) as [number];
  const proxy = fork(HOP, ['proxy', String(originPort)]);
  const [proxyPort] = (await once(proxy, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${proxyPort}/`,
    [Symbol.asyncDispose]: async () => {
      const ended = [origin, proxy].map((process) => once(process, 'exit'));
      for (const process of [origin, proxy]) process.kill();
      await Promise.all(ended);
    },
  };
}

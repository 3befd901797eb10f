// A process of the proxy peer: `origin` holds one answer, `proxy PORT` passes each request on to it.
import { Agent, createServer, request, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

const [role, port] = process.argv.slice(2);

function serve(answer: RequestListener): void {
  const server = createServer(answer).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

if (role === 'origin') {
  process.once('message', (base64: string) => {
    const body = Buffer.from(base64, 'base64');
    serve((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body),
    );
  });
} else {
  const agent = new Agent({ keepAlive: true });
  serve((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const onward = request({ agent, host: '127.0.0.1', port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(onward);
  });
}

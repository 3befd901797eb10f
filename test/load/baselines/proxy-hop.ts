// Baseline of the gateway in two processes: `origin FILE` serves one response, `proxy URL` forwards
// each request to it.
import { readFileSync } from 'node:fs';
import { Agent, createServer, request, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

const [role, argument = ''] = process.argv.slice(2);

function serve(answer: RequestListener): void {
  const server = createServer(answer).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

if (role === 'origin') {
  const body = readFileSync(argument);
  serve((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body),
  );
} else {
  const agent = new Agent({ keepAlive: true });
  serve(({ method, headers, ...incoming }, outgoing) => {
    const onward = request(new URL(incoming.url ?? '/', argument), { agent, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.writeHead(502).end()).end();
  });
}

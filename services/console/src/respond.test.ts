import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { listenOn } from '@survey/process/listen.ts';
import { expect, it } from 'vitest';
import { sendCsv } from './respond.ts';

it('begins a CSV download with a byte order mark, by which spreadsheets know its encoding', async () => {
  async function* rows(): AsyncGenerator<string[]> {
    yield ['Köln', 'שלום'];
  }
  const server = createServer((_request, response) => void sendCsv(response, rows()));
  const response = await fetch(`http://${await listenOn(server, '127.0.0.1:0')}`);
  expect(Buffer.from(await response.arrayBuffer()).toString()).toBe('\uFEFFKöln,שלום\r\n');
  server.close();
});

it('ends the rows of a CSV download that the browser aborts', async () => {
  const ended = Promise.withResolvers<string>();
  async function* endlessRows(): AsyncGenerator<string[]> {
    try {
      for (;;) yield ['x'.repeat(10_000)];
    } finally {
      ended.resolve('ended');
    }
  }
  const server = createServer((_request, response) => void sendCsv(response, endlessRows()).catch(() => undefined));
  const request = get(`http://${await listenOn(server, '127.0.0.1:0')}`);
  const [response] = await once(request, 'response');
  await once(response, 'readable');
  // The server now waits for this browser, which reads no further.
  await new Promise((resolve) => setTimeout(resolve, 100));
  request.destroy();
  expect(await ended.promise).toBe('ended');
  server.closeAllConnections();
  server.close();
});

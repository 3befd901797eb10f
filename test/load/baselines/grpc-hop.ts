// Lower bound of the gateway: `node:http` and a gRPC call, without keys, limits, logs or traces.
// `ADDRESS ACCOUNT` forwards each request to the service there, as a page of employees.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@grpc/grpc-js';
import { callerMetadata } from '@survey/rpc/call-context.ts';
import { CHANNEL_LIMITS, channelCredentials } from '@survey/rpc/channel.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { decodePage } from '@survey/rpc/wire-method.ts';

const [address = '', accountId] = process.argv.slice(2);
const { fullName, methods } = ExportServiceDefinition;
const { name, requestType } = methods.listEmployees;
const client = new Client(address, channelCredentials(undefined), CHANNEL_LIMITS);
const caller = callerMetadata({ requestId: 'load', accountId: Number(accountId) });

const server = createServer(({ url = '' }, response) => {
  const limit = Number(url.slice(url.indexOf('=') + 1));
  const encode = (): Buffer => Buffer.from(requestType.encode({ limit, offset: 0, accept_gzip: false }).finish());
  client.makeUnaryRequest(`/${fullName}/${name}`, encode, decodePage, {}, caller, (error, page) => {
    if (error || page === undefined) response.writeHead(502).end();
    else response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.json.length }).end(page.json);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

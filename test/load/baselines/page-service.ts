// Upstream of the measured gateway: a gRPC service that returns the page in FILE to every call.
import { readFileSync } from 'node:fs';
import { toolOf } from '@survey/process/tool.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { serve, type Handlers } from '@survey/rpc/serve.ts';

const page = { json: readFileSync(process.argv[2] ?? ''), gzip: false };
const answers = Object.keys(ExportServiceDefinition.methods).map((name) => [name, () => Promise.resolve(page)]);
// Every method returns a page.
const handlers = Object.fromEntries(answers) as Handlers<typeof ExportServiceDefinition>;
const address = await serve('127.0.0.1:0', ExportServiceDefinition, handlers, toolOf('load'));
process.send?.(Number(address.split(':').at(-1)));

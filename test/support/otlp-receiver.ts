import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { listenOn } from '@survey/process/listen.ts';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  // Empty for the root span of a trace.
  readonly parentId: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly linkedTraceIds: readonly string[];
  readonly hasFailed: boolean;
}

/** A collector that accepts and stores OTLP over HTTP in protobuf. */
interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  // All received bytes, to search for values that must not occur.
  readonly bytes: readonly Buffer[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bytes: Buffer[] = [];
  const take = async (request: IncomingMessage): Promise<void> => {
    const body = await buffer(request);
    const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    bytes.push(plain);
    if (request.url === '/v1/traces') spans.push(...spansOf(plain));
  };
  const server = createServer((request, response) => {
    take(request).then(
      () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(),
      () => response.writeHead(400).end(),
    );
  });
  const address = await listenOn(server, '127.0.0.1:0');
  return {
    url: `http://${address}`,
    spans,
    bytes,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// Field numbers of opentelemetry/proto/trace/v1/trace.proto, each with its name.
function spansOf(request: Uint8Array): ReceivedSpan[] {
  return messages(request, 1 /* resource_spans */).flatMap((ofResource) => {
    const resource = messages(ofResource, 1 /* resource */).flatMap((one) => messages(one, 1 /* attributes */));
    const service = attributesOf(resource)['service.name'] ?? '';
    const spans = messages(ofResource, 2 /* scope_spans */).flatMap((scope) => messages(scope, 2 /* spans */));
    return spans.map((span) => readSpan(service, span));
  });
}

function readSpan(service: string, span: Uint8Array): ReceivedSpan {
  const [status] = messages(span, 15 /* status */);
  return {
    service,
    traceId: hex(messages(span, 1 /* trace_id */)[0]),
    spanId: hex(messages(span, 2 /* span_id */)[0]),
    parentId: hex(messages(span, 4 /* parent_span_id */)[0]),
    name: text(messages(span, 5 /* name */)[0]),
    attributes: attributesOf(messages(span, 9 /* attributes */)),
    linkedTraceIds: messages(span, 13 /* links */).map((link) => hex(messages(link, 1 /* trace_id */)[0])),
    hasFailed: status !== undefined && numberIn(status, 3 /* code */) === '2',
  };
}

function attributesOf(pairs: readonly Uint8Array[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value = new Uint8Array()] = messages(pair, 2 /* value */);
      const [string] = messages(value, 1 /* string_value */);
      return [text(messages(pair, 1 /* key */)[0]), string === undefined ? numberIn(value, 3 /* int_value */) : text(string)];
    }),
  );
}

// The length-delimited fields of this number: messages, strings, bytes.
function messages(message: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted && type === WireType.LengthDelimited) found.push(reader.bytes());
    else reader.skip(type, field);
  }
  return found;
}

function numberIn(message: Uint8Array, wanted: number): string {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted && type === WireType.Varint) return String(reader.int64());
    reader.skip(type, field);
  }
  return '';
}

const hex = (bytes: Uint8Array = new Uint8Array()): string => Buffer.from(bytes).toString('hex');
const text = (bytes: Uint8Array = new Uint8Array()): string => Buffer.from(bytes).toString('utf8');

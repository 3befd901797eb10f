import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

const survey = (id: number, created_at: string, start_at: string | null) => ({ id, name: { en: 'S' }, created_at, start_at });
const cycle = (id: string, opened_at: string, closed_at: string | null) => ({ id, survey_id: 1, opened_at, closed_at });

// Values whose type shows only later: 65 before 32.5, null before a time, times with a fraction.
const ACCOUNT: Rows = {
  surveys: [survey(1, '2024-01-01T00:00:00Z', null), survey(2, '2024-01-01T00:00:00.000001Z', '2024-01-02T00:00:00.5Z')],
  questions: [
    { id: 11, name: { en: 'Q' }, type: 'stars', answer_options: [{ id: 1, name: { en: 'A' }, value: 1 }] },
    { id: 12, name: { en: 'Q' }, type: 'stars', answer_options: [{ id: 2, name: { en: 'B' }, value: 1.5 }] },
  ],
  cycles: [
    cycle('future', '2124-01-01T00:00:00Z', null),
    cycle('c1', '2024-01-01T00:00:00Z', '2024-01-31T00:00:00Z'),
    cycle('c2', '2024-02-01T00:00:00.25Z', '2024-02-28T00:00:00Z'),
    cycle('c3', '2024-03-01T00:00:00Z', null),
  ],
};
const ATTRIBUTES: Rows = { attributes: [1, 2].map((id) => ({ id, name: `A${id}` })) };
const optionsOf = (attributeId: number) =>
  Array.from({ length: 1_500 }, (_, n) => ({ id: attributeId * 10_000 + n, name: `O${n}` }));
const SCORES: Readonly<Record<string, number>> = { '2024-01-01': 65, '2024-02-01': 32.5 };

/** A server that is the survey service, or pretends to be. */
export class FakeHost {
  mode: '404' | 'html' | 'revoked' | 'empty' | 'account' | 'changed' | 'withdrawn' = 'empty';
  // Put after the origin in `url`.
  path = '';
  // Path of a proxy under which the service is, and nothing else.
  prefix = '';
  // Status and path of each response, oldest first.
  responses: string[] = [];
  readonly #server = createServer((incoming, outgoing) => this.#respond(incoming, outgoing));

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.path}`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #respond(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://x');
    const isElsewhere = this.mode === '404' || !path.startsWith(`${this.prefix}/`);
    if (isElsewhere || this.mode === 'html')
      return void outgoing.writeHead(isElsewhere ? 404 : 200, { 'Content-Type': 'text/html' }).end('<html>');
    if (this.mode === 'revoked') return problem(outgoing, 401, 'unauthorized', 'No.');
    const pathname = path.slice(this.prefix.length);
    outgoing.once('finish', () => this.responses.push(`${outgoing.statusCode} ${pathname}`));
    if (pathname === '/v1/scores') return json(outgoing, scoreOf(query));
    const [, array = ''] = /^\/v1\/(?:survey_(?=cycles)|text_(?=responses)|attributes\/\d+\/)?(\w+)$/.exec(pathname) ?? [];
    // The first attribute is withdrawn after the first page of its options.
    if (this.mode === 'withdrawn' && pathname === '/v1/attributes/1/options' && Number(query.get('offset')) > 0)
      return problem(outgoing, 404, 'not-found', 'There is no such attribute.');
    const rows = this.#rows(pathname)[array] ?? [];
    const from = Number(query.get('offset') ?? 0);
    if (array !== 'responses') {
      const etag = `"${createHash('sha256')
        .update(`${String(query)} ${JSON.stringify(rows)}`)
        .digest('base64url')}"`;
      if (incoming.headers['if-none-match'] === etag) return void outgoing.writeHead(304, { ETag: etag }).end();
      outgoing.setHeader('ETag', etag);
    }
    json(outgoing, { total_count: rows.length, [array]: rows.slice(from, from + Number(query.get('limit') ?? 100)) });
  }

  #rows(pathname: string): Rows {
    const [, attributeId] = /^\/v1\/attributes\/(\d+)\//.exec(pathname) ?? [];
    if (this.mode === 'withdrawn') return { ...ATTRIBUTES, options: optionsOf(Number(attributeId)) };
    // Options change although no attribute does.
    const options = [{ id: Number(attributeId), name: this.mode }];
    return this.mode === 'empty' ? {} : { ...ACCOUNT, ...ATTRIBUTES, options };
  }
}

function scoreOf(query: URLSearchParams): object {
  const score = SCORES[query.get('period_from')?.slice(0, 10) ?? ''] ?? null;
  return { score, unit: 'favorability_percent', respondents: 9, suppressed: score === null, suppression_reason: null };
}

function json(outgoing: ServerResponse, body: object): void {
  outgoing.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function problem(outgoing: ServerResponse, status: number, type: string, detail: string): void {
  const body = JSON.stringify({ type: `urn:survey:problem:${type}`, title: detail, status, detail });
  outgoing.writeHead(status, { 'Content-Type': 'application/problem+json' }).end(body);
}

import { gzipSync } from 'node:zlib';
import type { Express, RequestHandler } from 'express';
import { methodNotAllowed } from '../endpoints/route.ts';
import { acceptsGzip } from '../http/accept-encoding.ts';
import { checkProtocol } from '../http/protocol.ts';
import { getRequestContext } from '../http/request-context.ts';
import type { OpenApiDocument } from './document.ts';
import { documentationPage, PAGE_POLICY } from './documentation-page.ts';

// Browsers ask for an icon without the page's permission.
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#48c" d="M1 9h3v6H1zm5-4h3v10H6zm5-4h3v14h-3z"/></svg>';

/**
 * Serves the OpenAPI document and its HTML page, both rendered once. They contain no account data
 * and need no key.
 */
export function mountDocumentation(app: Express, document: OpenApiDocument): void {
  const json = file('/openapi.json', 'application/json', JSON.stringify(document));
  const page = file('/docs', 'text/html; charset=utf-8', documentationPage(document), { 'Content-Security-Policy': PAGE_POLICY });
  const icon = file('/favicon.ico', 'image/svg+xml', ICON);
  app.get(['/', '/docs/'], (request, response) => {
    getRequestContext(request).route = '/docs';
    response.redirect(308, '/docs');
  });
  for (const [path, answer] of [json, page, icon])
    app.route(path).get(checkProtocol, answer).all(methodNotAllowed(path, 'GET, HEAD'));
}

function file(path: string, type: string, text: string, headers: Record<string, string> = {}): [string, RequestHandler] {
  const plain = Buffer.from(text);
  const compressed = gzipSync(plain);
  const answer: RequestHandler = (request, response) => {
    getRequestContext(request).route = path;
    const gzip = acceptsGzip(request.headers['accept-encoding']);
    const body = gzip ? compressed : plain;
    response.writeHead(200, {
      ...headers,
      'Content-Type': type,
      'Content-Length': body.length,
      'Cache-Control': 'public, max-age=300',
      Vary: 'Accept-Encoding',
      ...(gzip && { 'Content-Encoding': 'gzip' }),
    });
    response.end(body);
  };
  return [path, answer];
}

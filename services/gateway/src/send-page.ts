import type { ServerResponse } from 'node:http';
import type { Page } from '@survey/rpc/gen/survey/common/v1/page.ts';

/** Sends a page as the upstream service rendered and compressed it, without parsing it. */
export function sendPage(response: ServerResponse, { json, gzip }: Page): void {
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': json.length,
    Vary: 'Accept-Encoding',
    ...(gzip && { 'Content-Encoding': 'gzip' }),
  });
  response.end(json);
}

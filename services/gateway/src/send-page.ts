import type { ServerResponse } from 'node:http';
import type { Page } from '@survey/rpc/gen/survey/export/v1/export.ts';

/** Answers with a page as it was rendered and compressed where its rows were read: not one byte is looked at here. */
export function sendPage(response: ServerResponse, { json, gzip }: Page): void {
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': json.length,
    Vary: 'Accept-Encoding',
    ...(gzip && { 'Content-Encoding': 'gzip' }),
  });
  response.end(json);
}

import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { html } from './views/html.ts';
import { layout, type Frame } from './views/layout.ts';
import { head } from './views/parts.ts';
import type { Reply, Visit } from './visit.ts';

/** Sends the result of a handler. */
export async function respond(visit: Visit, reply: Reply, frame: Frame): Promise<void> {
  const { response, texts } = visit;
  if ('redirect' in reply) return response.redirect(303, reply.redirect);
  if ('csv' in reply) return sendCsv(response.type('text/csv').attachment(reply.csv), reply.rows);
  if ('fragment' in reply)
    return void response
      .set(reply.headers ?? {})
      .type('html')
      .send(String(await reply.fragment));
  if ('leadOn' in reply) {
    response.set('Refresh', `0; url=${reply.leadOn}`);
    const body = html`${head(texts.signIn.leadOn)}
      <p><a class="btn primary" href="${reply.leadOn}">${texts.signIn.goOn}</a></p>`;
    return void response
      .type('html')
      .send(String(await layout({ ...visit, session: undefined }, { title: texts.signIn.leadOn, body }, {})));
  }
  const { page } = reply;
  response
    .status(page.status ?? 200)
    .type('html')
    .send(String(await layout(visit, page, frame)));
}

/**
 * Sends rows as fast as the browser reads them. When the browser leaves, the rows are ended, which
 * cancels the call that they come from.
 */
export async function sendCsv(response: ServerResponse, rows: AsyncIterable<readonly string[]>): Promise<void> {
  await pipeline(rows, csvLines, response);
}

// Without the mark, spreadsheets take UTF-8 for an older encoding.
async function* csvLines(rows: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  yield '\uFEFF';
  for await (const row of rows) yield csvLine(row);
}

/**
 * Returns a line of CSV (RFC 4180). Text that a spreadsheet would read as a formula gets a leading
 * apostrophe, even after a semicolon, tab or line feed within a cell, where some programs split.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

// The full-width signs are read as their ASCII counterparts.
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"']*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;

function cell(value: string): string {
  const safe = value.replaceAll(FORMULA, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

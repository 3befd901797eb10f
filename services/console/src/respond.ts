import { once } from 'node:events';
import type { Response } from 'express';
import { csvLine } from './views/csv-line.ts';
import { html } from './views/html.ts';
import { layout, type Frame } from './views/layout.ts';
import { head } from './views/parts.ts';
import type { Reply, Visit } from './visit.ts';

/** Sends the result of a handler. */
export async function respond(visit: Visit, reply: Reply, frame: Frame): Promise<void> {
  const { response, texts } = visit;
  if ('redirect' in reply) return response.redirect(303, reply.redirect);
  if ('csv' in reply) return sendCsv(response, reply.csv, reply.rows);
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

async function sendCsv(response: Response, name: string, rows: AsyncIterable<readonly string[]>): Promise<void> {
  response.type('text/csv').attachment(name);
  for await (const row of rows) {
    if (response.destroyed) return;
    if (!response.write(csvLine(row))) await once(response, 'drain');
  }
  response.end();
}

// Lower bound of a list over HTTP: `node:http` and one statement for each page. `URL` returns the
// finished records that the benchmark keeps in the table `rendered` of that database.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.argv[2] ?? '' });
const TEXT = `select string_agg(record, ',' order by ord) from rendered where ord > $1::bigint and ord <= $1::bigint + $2::bigint`;

async function readPage({ url = '' }: IncomingMessage): Promise<Buffer> {
  const { searchParams } = new URL(url, 'http://localhost');
  const values = [searchParams.get('offset'), searchParams.get('limit')];
  const { rows } = await pool.query<[string]>({ name: 'page', text: TEXT, values, rowMode: 'array' });
  return Buffer.from(`{"records":[${rows[0]?.[0]}]}`);
}

const server = createServer((request, response) => {
  readPage(request).then(
    (page) => response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length }).end(page),
    () => response.writeHead(500).end(),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

import { gzipSync } from 'node:zlib';
import { seededRandom } from '../support/random.ts';
import { R } from '../support/records.ts';

export interface FuzzCase {
  readonly method: string;
  // Path with its query.
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

type Random = () => number;

const pick = <T>(random: Random, things: readonly [T, ...T[]]): T => things[Math.floor(random() * things.length)] ?? things[0];
const below = (random: Random, limit: number): number => Math.floor(random() * limit);

/** Returns the deterministic case `index` of a seed. A third are imports, generated or mutated. */
export function fuzzCase(seed: number, index: number): FuzzCase {
  const random = seededRandom(seed * 1_000_003 + index);
  // Similar seeds begin with similar numbers.
  random();
  return random() < 0.33 ? importCase(random) : readCase(random);
}

const PATHS: [string, ...string[]] = [
  '/v1/employees',
  '/v1/surveys',
  '/v1/survey_cycles',
  '/v1/questions',
  '/v1/survey_assignments',
  '/v1/initiatives',
  '/v1/scores',
  '/v1/attributes',
  '/v1/attributes/1/options',
  '/v1/employees/imports',
  '/v1',
  '/openapi.json',
];
const PARAMETERS: [string, ...string[]] = [
  'limit',
  'offset',
  'is_archived',
  'created_after',
  'survey_id',
  'status',
  'question_ids',
  'period_from',
  'period_to',
  'survey_ids',
  'attribute_option_ids',
  'LIMIT',
  'limit[]',
  '__proto__',
  '',
];
const VALUES: [string, ...string[]] = [
  '0',
  '1',
  '100',
  '1000',
  '1001',
  '-1',
  '+1',
  '1e3',
  '0x10',
  '１',
  '9223372036854775807',
  '9223372036854775808',
  '1'.repeat(400),
  'NaN',
  'infinity',
  'true',
  'false',
  'TRUE',
  'draft',
  '2024-01-01T00:00:00Z',
  '2024-02-30T00:00:00Z',
  '2024-01-01T00:00:00+14:00',
  '294277-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '2024-01-01T00:00:00.999999999Z',
  '1,2,3',
  '1,,2',
  ','.repeat(200),
  "1' or '1'='1",
  '\u0000',
  '\ud800',
  '\u{1f4a9}',
  '%',
  '',
];

function readCase(random: Random): FuzzCase {
  const method = random() < 0.9 ? 'GET' : pick(random, ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);
  const path = random() < 0.9 ? pick(random, PATHS) : brokenPath(random);
  const pairs = Array.from(
    { length: below(random, 5) },
    () => `${encode(random, pick(random, PARAMETERS))}=${encode(random, valueOf(random))}`,
  );
  const separator = random() < 0.95 ? '&' : pick(random, [';', '&&', '?']);
  return { method, path: pairs.length === 0 ? path : `${path}?${pairs.join(separator)}`, headers: readHeaders(random) };
}

function brokenPath(random: Random): string {
  const path = pick(random, PATHS);
  return pick(random, [
    `${path}/`,
    path.toUpperCase(),
    path.replace('/v1', '/v1/..'),
    `${path}/%2e%2e`,
    path.replace('1/options', `${encode(random, valueOf(random))}/options`),
    `/${path}`,
    `${path}%00`,
    `${path}/${encode(random, valueOf(random))}`,
  ]);
}

function valueOf(random: Random): string {
  const value = pick(random, VALUES);
  return random() < 0.2 ? `${value}${pick(random, VALUES)}` : value;
}

// Mostly properly encoded; otherwise unencoded or with invalid UTF-8.
function encode(random: Random, text: string): string {
  const wellFormed = encodeURIComponent(text.toWellFormed());
  if (random() < 0.85) return wellFormed;
  return pick(random, [
    wellFormed.toLowerCase(),
    `${wellFormed}%FF`,
    `%C0%AF${wellFormed}`,
    wellFormed.replaceAll('%', '%25'),
    `${wellFormed}%`,
  ]);
}

function readHeaders(random: Random): Record<string, string> {
  if (random() < 0.8) return {};
  return pick<Record<string, string>>(random, [
    { 'accept-encoding': 'gzip;q=0, *;q=1.001, br' },
    { 'accept-encoding': ','.repeat(1_000) },
    { 'x-request-id': 'x'.repeat(5_000) },
    { 'x-request-id': '{"$gt":""}' },
    { range: 'bytes=0-1' },
    { 'if-none-match': '*' },
    { 'x-http-method-override': 'DELETE' },
    { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' },
    { 'account-id': '1', 'grpc-timeout': '1n' },
    { 'content-length': '0' },
  ]);
}

function importCase(random: Random): FuzzCase {
  const json = random() < 0.5 ? grown(random) : Buffer.from(JSON.stringify({ employees: employees(random) }));
  const body = random() < 0.6 ? broken(random, json) : json;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (random() < 0.1)
    headers['content-type'] = pick(random, ['text/plain', 'application/json; charset=utf-16', 'application/json;', 'x', '']);
  if (random() < 0.1) headers['idempotency-key'] = pick(random, ['a', 'b', 'ä', ' ', 'x'.repeat(300)]);
  if (random() < 0.1) headers['content-encoding'] = pick(random, ['br', 'gzip, gzip', 'identity', 'GZIP', 'deflate']);
  if (random() < 0.3)
    return {
      method: 'POST',
      path: '/v1/employees/imports',
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: zipped(random, body),
    };
  return { method: 'POST', path: '/v1/employees/imports', headers, body };
}

function zipped(random: Random, body: Uint8Array): Uint8Array {
  const whole = gzipSync(body);
  return random() < 0.5 ? whole : broken(random, whole);
}

function employees(random: Random): Record<string, unknown>[] {
  return Array.from({ length: 1 + below(random, 4) }, () => {
    const n = below(random, 6);
    const role = pick<unknown>(random, [undefined, null, 'Manager', 'Employee', 'admin']);
    const attributes =
      random() < 0.5
        ? undefined
        : [
            {
              name: pick(random, ['Country', ' country', 'Age Category']),
              value: random() < 0.2 ? null : { name: pick(random, ['DE', '1990', 'x']) },
            },
          ];
    return R(n, { role, attributes, reports_to_id: random() < 0.3 ? `E${below(random, 6)}` : undefined });
  });
}

// Generates JSON, sometimes slightly invalid, that contains names of the contract.
function grown(random: Random): Buffer {
  const text = random() < 0.7 ? `{"employees":[${list(random, 0)}]}` : value(random, 0);
  return Buffer.from(text.toWellFormed());
}

const KEYS: [string, ...string[]] = [
  'employees',
  'import_id',
  'email',
  'firstname',
  'lastname',
  'role',
  'language',
  'attributes',
  'permissions',
  'grants',
  'attribute',
  'value',
  'name',
  'all_data',
  '__proto__',
  'constructor',
  'toString',
  'x',
  '',
];
const STRINGS: [string, ...string[]] = [
  '""',
  '"E1"',
  '"a@x.io"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  '"\\x"',
  '"\t"',
  '"de"',
  '"Manager"',
  '"＂"',
  `"${'x'.repeat(300)}"`,
  '"\\u202e"',
];
const NUMBERS: [string, ...string[]] = [
  '0',
  '-0',
  '1e999',
  '-1E-999',
  '9007199254740993',
  '01',
  '+1',
  '.5',
  '1.',
  '0x1',
  'NaN',
  'Infinity',
];

function value(random: Random, depth: number): string {
  const choice = random();
  if (depth > 40 || choice < 0.3) return pick(random, STRINGS);
  if (choice < 0.45) return pick(random, NUMBERS);
  if (choice < 0.55) return pick(random, ['true', 'false', 'null', 'nul', 'undefined', '']);
  // Occasionally deeply nested.
  if (choice < 0.56) return '['.repeat(50 + below(random, 2_000));
  return choice < 0.75 ? `[${list(random, depth + 1)}]` : object(random, depth + 1);
}

function list(random: Random, depth: number): string {
  const items = Array.from({ length: below(random, 4) }, () => (depth === 0 ? object(random, 1) : value(random, depth)));
  return items.join(random() < 0.97 ? ',' : pick(random, [',,', ' ', ';']));
}

function object(random: Random, depth: number): string {
  const pairs = Array.from({ length: below(random, 8) }, () => `"${pick(random, KEYS)}":${value(random, depth + 1)}`);
  return `{${pairs.join(',')}}`;
}

/** Applies one to four random mutations. */
function broken(random: Random, bytes: Uint8Array): Uint8Array {
  let result = Buffer.from(bytes);
  for (let accidents = 1 + below(random, 4); accidents > 0; accidents -= 1) result = accident(random, result);
  return result;
}

function accident(random: Random, bytes: Buffer): Buffer<ArrayBuffer> {
  const [from, to] = [below(random, bytes.length + 1), below(random, bytes.length + 1)].toSorted((a, b) => a - b);
  const [start, end] = [bytes.subarray(0, from), bytes.subarray(to)];
  switch (below(random, 5)) {
    case 0:
      return Buffer.concat([start, end]);
    case 1:
      return Buffer.concat([bytes, bytes.subarray(from, to)]);
    case 2:
      return Buffer.concat([
        start,
        Buffer.from(pick(random, ['"', '{', '}', ']', ',', ':', '\\', '\0', '\u2028', '\ufeff', '0'])),
        bytes.subarray(from),
      ]);
    case 3: {
      const flipped = Buffer.from(bytes);
      if (flipped.length > 0) flipped.writeUInt8(below(random, 256), below(random, flipped.length));
      return flipped;
    }
    default:
      return Buffer.concat([start]);
  }
}

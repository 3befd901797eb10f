import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';

type RequestBody = NonNullable<RequestInit['body']>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Parsed JSON, else the text.
  readonly body: unknown;
}

export type RequestHeaders = Readonly<Record<string, string>>;

/** The public API as a customer sees it: HTTP only. */
export interface Api {
  get(path: string, key?: string, headers?: RequestHeaders): Promise<Answer>;
  // Strings and bytes are sent unchanged, anything else as JSON.
  post(path: string, body: unknown, key?: string, headers?: RequestHeaders): Promise<Answer>;
  send(method: string, path: string, headers: RequestHeaders, body?: RequestBody): Promise<Answer>;
}

export function apiAt(url: string): Api {
  const send: Api['send'] = async (method, path, headers, body) => {
    const response = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    const isJson = /^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  return {
    send,
    get: (path, key, headers = {}) => send('GET', path, { ...keyHeader(key), ...headers }),
    post: (path, body, key, headers = {}) =>
      send('POST', path, { 'content-type': 'application/json', ...keyHeader(key), ...headers }, bytesOf(body)),
  };
}

function keyHeader(key: string | undefined): RequestHeaders {
  return key === undefined ? {} : { 'x-api-key': key };
}

function bytesOf(body: unknown): RequestBody {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return JSON.stringify(body);
}

// Each field error names one of pointer, parameter and header.
const finding = z.looseObject({ detail: z.string().min(1), pointer: z.string().optional(), parameter: z.string().optional() });
const problem = z.looseObject({
  type: z.string().min(1),
  title: z.string().min(1),
  status: z.int(),
  detail: z.string().regex(/\w/),
  instance: z.string().min(1),
  errors: z.array(finding).max(100).default([]),
});

export type Problem = z.infer<typeof problem>;

// Half a minute: longer than other files keep both processors busy.
const TRIES = 60;

/** Asks again after a 503, as a client does: a busy machine exceeds the deadline of a call. */
export async function whenServed(ask: () => Promise<Answer>, tries = TRIES): Promise<Answer> {
  const answer = await ask();
  if (answer.status !== 503 || tries === 1) return answer;
  await setTimeout(500);
  return whenServed(ask, tries - 1);
}

/** Asserts a problem document with this status (rule ERRORS-SHAPE-1), and returns it. */
export function expectProblem(answer: Answer, status: number): Problem {
  expect(answer).toMatchObject({ status, body: { status } });
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  // Contains neither a stack trace nor a file path.
  expect(JSON.stringify(answer.body)).not.toMatch(/\bat .*:\d+:\d+|node_modules/);
  return problem.parse(answer.body);
}

import { SurveyApiError, SurveyConnectionError } from './errors.ts';
import { withRetries, type Retries } from './retry.ts';
import type { SnapshotBody } from './snapshot.ts';

export interface ClientConfig {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  readonly retries: Retries;
  // Timeout of one attempt, until the last byte of the response.
  readonly timeoutMs: number;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: SnapshotBody;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request, with retries, and returns the parsed JSON.
 * @throws SurveyApiError or SurveyConnectionError
 */
export function sendRequest(service: ClientConfig, call: ApiRequest): Promise<unknown> {
  const retries = call.body?.isRepeatable === false ? { ...service.retries, most: 0 } : service.retries;
  return withRetries(() => attempt(service, call), retries, call.signal);
}

async function attempt(service: ClientConfig, call: ApiRequest): Promise<unknown> {
  const { response, text } = await send(service, call);
  if (!response.ok) throw new SurveyApiError(response, text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SurveyConnectionError(error);
  }
}

async function send(service: ClientConfig, call: ApiRequest): Promise<{ response: Response; text: string }> {
  const { method, path, query = {}, headers = {}, body, signal } = call;
  const over = new AbortController();
  const limits = [over.signal, AbortSignal.timeout(service.timeoutMs), ...(signal ? [signal] : [])];
  try {
    const response = await service.fetch(urlOf(service.baseUrl, path, query), {
      method,
      headers: { ...headers, 'X-Api-Key': service.apiKey },
      ...(body && { body: body.open(), duplex: 'half' }),
      // A redirect would send the key to another server.
      redirect: 'error',
      signal: AbortSignal.any(limits),
    });
    return { response, text: await response.text() };
  } catch (error) {
    signal?.throwIfAborted();
    body?.throwIfFailed();
    throw new SurveyConnectionError(error);
  } finally {
    // The response may come before the whole body was sent: stop producing the rest.
    over.abort();
  }
}

function urlOf(baseUrl: string, path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const search = parameters.toString();
  return `${baseUrl.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`;
}

import { apiError, SurveyConnectionError, UnexpectedResponseError } from './errors.ts';
import type { Query } from './query.ts';
import { checkedQuery } from './query.ts';
import { withRetries, type Retries, type Retry } from './retry.ts';
import type { SnapshotBody } from './snapshot.ts';

/** Options of a single call; they override the client's options. */
export interface CallOptions {
  /** Cancels the call and its waits. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt, until the last byte of the response. */
  readonly timeoutMs?: number | undefined;
  readonly retries?: Partial<Retries> | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Called with each response, error responses included; its body is already read. */
  readonly onResponse?: ((response: Response) => void) | undefined;
}

export interface ClientConfig {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly userAgent: string;
  readonly fetch: typeof globalThis.fetch;
  readonly retries: Retries;
  readonly timeoutMs: number;
  readonly onRetry: ((retry: Retry) => void) | undefined;
}

interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: SnapshotBody;
  // Properties that the response must have: without them, any other service would look like an
  // empty list.
  readonly needs: readonly string[];
  // Whether to wait for as long as another import of the account is running.
  readonly waitForRunning?: boolean | undefined;
}

interface AddressedRequest extends ApiRequest {
  readonly url: string;
}

/**
 * Sends a request, with retries, and returns the parsed JSON, or undefined for a 304 that the
 * request's If-None-Match asked for.
 * @throws SurveyApiError or SurveyConnectionError
 */
export async function sendRequest(config: ClientConfig, request: ApiRequest, options: CallOptions): Promise<unknown> {
  const url = urlOf(config.baseUrl, request.path, request.query ?? {});
  const once = request.body?.isRepeatable === false ? { most: 0 } : {};
  return withRetries(() => attempt(config, { ...request, url }, options), {
    retries: { ...config.retries, ...options.retries, ...once },
    waitForRunning: request.waitForRunning,
    onRetry: options.onRetry ?? config.onRetry,
    signal: options.signal,
  });
}

async function attempt(config: ClientConfig, request: AddressedRequest, options: CallOptions): Promise<unknown> {
  const { response, text } = await send(config, request, options);
  options.onResponse?.(response);
  if (response.status === 304 && request.headers?.['If-None-Match'] !== undefined) return undefined;
  if (!response.ok) throw apiError(response, text);
  const type = response.headers.get('content-type');
  if (type?.startsWith('application/json') !== true)
    throw new UnexpectedResponseError(config.baseUrl, `it is ${type ?? 'of no type'}, not JSON`);
  const result = parse(text, config.baseUrl);
  const missing = request.needs.filter((name) => Reflect.get(Object(result), name) === undefined);
  if (missing.length > 0) throw new UnexpectedResponseError(config.baseUrl, `it has no ${missing.join(' and ')}`);
  return result;
}

function parse(text: string, baseUrl: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SurveyConnectionError(baseUrl, error);
  }
}

async function send(
  config: ClientConfig,
  { method, url, headers = {}, body }: AddressedRequest,
  { signal, timeoutMs = config.timeoutMs }: CallOptions,
): Promise<{ response: Response; text: string }> {
  const over = new AbortController();
  const limits = [over.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  try {
    const response = await config.fetch(url, {
      method,
      headers: { ...headers, 'User-Agent': config.userAgent, 'X-Api-Key': config.apiKey },
      ...(body && { body: body.open(), duplex: 'half' }),
      // A redirect would send the key to another server.
      redirect: 'error',
      signal: AbortSignal.any(limits),
    });
    return { response, text: await response.text() };
  } catch (error) {
    signal?.throwIfAborted();
    body?.throwIfFailed();
    throw new SurveyConnectionError(config.baseUrl, error);
  } finally {
    // The response may come before the whole body was sent: stop producing the rest.
    over.abort();
  }
}

function urlOf(baseUrl: string, path: string, query: Query): string {
  const search = new URLSearchParams(checkedQuery(query)).toString();
  return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`;
}

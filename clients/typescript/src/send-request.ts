import { apiError, SurveyConnectionError } from './errors.ts';
import { withRetries, type Retries, type Retry } from './retry.ts';
import type { SnapshotBody } from './snapshot.ts';

/** Options of a single call; they override those of the client. */
export interface CallOptions {
  // Cancels the call and its waits.
  readonly signal?: AbortSignal | undefined;
  // Timeout of one attempt, until the last byte of the response.
  readonly timeoutMs?: number | undefined;
  readonly retries?: Partial<Retries> | undefined;
  // Called before each wait.
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  // Called with each response, error responses included; its body is already read.
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

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: SnapshotBody;
}

/**
 * Sends a request, with retries, and returns the parsed JSON.
 * @throws SurveyApiError or SurveyConnectionError
 */
export function sendRequest(config: ClientConfig, request: ApiRequest, options: CallOptions): Promise<unknown> {
  const once = request.body?.isRepeatable === false ? { most: 0 } : {};
  return withRetries(() => attempt(config, request, options), {
    retries: { ...config.retries, ...options.retries, ...once },
    onRetry: options.onRetry ?? config.onRetry,
    signal: options.signal,
  });
}

async function attempt(config: ClientConfig, request: ApiRequest, options: CallOptions): Promise<unknown> {
  const { response, text } = await send(config, request, options);
  options.onResponse?.(response);
  if (!response.ok) throw apiError(response, text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SurveyConnectionError(config.baseUrl, error);
  }
}

async function send(
  config: ClientConfig,
  { method, path, query = {}, headers = {}, body }: ApiRequest,
  { signal, timeoutMs = config.timeoutMs }: CallOptions,
): Promise<{ response: Response; text: string }> {
  const over = new AbortController();
  const limits = [over.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  try {
    const response = await config.fetch(urlOf(config.baseUrl, path, query), {
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
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const search = parameters.toString();
  return `${baseUrl.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`;
}

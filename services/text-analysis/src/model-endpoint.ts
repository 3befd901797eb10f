import type { Log } from '@survey/process/log.ts';
import CircuitBreaker from 'opossum';
import type { z } from 'zod';

/**
 * Customer's own model with an OpenAI-compatible API; used only for accounts that have enabled it.
 */
interface EndpointSettings {
  // Base URL including the version, such as https://models.example.com/v1
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly timeoutMs: number;
}

export interface ModelEndpoint extends Disposable {
  /**
   * Posts to a path below the base URL and returns the body, validated against the schema. A
   * timeout, a status other than 2xx or another shape is an error. Once most calls fail, calls fail
   * at once for a while.
   */
  post<T>(path: string, body: unknown, shape: z.ZodType<T>): Promise<T>;
  /**
   * Returns the result of `work`, or of `instead` when it fails. The failure is logged without any
   * text.
   */
  orElse<T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T>;
}

const OPTIONS = {
  // The request's signal ends it; opossum's own timeout would leave it running.
  timeout: false,
  volumeThreshold: 10,
  errorThresholdPercentage: 50,
  resetTimeout: 10_000,
} as const;

export function openModelEndpoint(settings: EndpointSettings, log: Pick<Log, 'debug' | 'info' | 'warn'>): ModelEndpoint {
  const circuit = new CircuitBreaker((work: () => Promise<unknown>) => work(), { ...OPTIONS, name: settings.model });
  circuit.on('open', () => log.warn({ model: settings.model }, 'model endpoint circuit opened'));
  circuit.on('close', () => log.info({ model: settings.model }, 'model endpoint circuit closed'));
  return {
    post: (path, body, shape) => send(settings, path, body, shape),
    orElse: async <T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T> => {
      try {
        // fire resolves with the result of `work`.
        return (await circuit.fire(work)) as T;
      } catch (error) {
        // Error messages of parsers quote their input, so only the error's name is logged.
        log.debug(
          { model: settings.model, fault: error instanceof Error ? error.name : 'unknown' },
          'model call replaced by embedded analysis',
        );
        return instead();
      }
    },
    [Symbol.dispose]: () => circuit.shutdown(),
  };
}

async function send<T>(
  { baseUrl, apiKey, timeoutMs }: EndpointSettings,
  path: string,
  body: unknown,
  shape: z.ZodType<T>,
): Promise<T> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify(body),
    // Redirects are rejected: text and key must reach only the configured host.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`cannot call the model endpoint: status ${response.status}`);
  }
  return shape.parse(await response.json());
}

import type { Log } from '@survey/process/log.ts';
import CircuitBreaker from 'opossum';
import type { z } from 'zod';

/** A customer's own model behind an OpenAI-compatible interface; used only by accounts that have asked for it. */
export interface EndpointSettings {
  // Up to and including the version, such as https://models.example.com/v1
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly timeoutMs: number;
}

export interface ModelEndpoint extends Disposable {
  /**
   * Posts to a path below the base and gives what came back in the shape asked for. Anything else is a fault: no answer in time, another status than
   * 2xx, another shape. Once most calls are faults it fails at once for a while.
   */
  post<T>(path: string, body: unknown, shape: z.ZodType<T>): Promise<T>;
  /** The result of `work`, or when that fails of `instead`; what failed is logged without any text. */
  orElse<T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T>;
}

const OPTIONS = {
  // The signal of the request ends it; opossum's own timeout would leave it running.
  timeout: false,
  volumeThreshold: 10,
  errorThresholdPercentage: 50,
  resetTimeout: 10_000,
} as const;

export function openModelEndpoint(settings: EndpointSettings, log: Pick<Log, 'debug' | 'info' | 'warn'>): ModelEndpoint {
  const circuit = new CircuitBreaker((work: () => Promise<unknown>) => work(), { ...OPTIONS, name: settings.model });
  circuit.on('open', () => log.warn({ model: settings.model }, 'model endpoint: circuit opened'));
  circuit.on('close', () => log.info({ model: settings.model }, 'model endpoint: circuit closed'));
  return {
    post: (path, body, shape) => send(settings, path, body, shape),
    orElse: async <T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T> => {
      try {
        // fire resolves with what `work` resolves with.
        return (await circuit.fire(work)) as T;
      } catch (error) {
        // Messages of parsers quote what they read: only the kind of fault is told.
        log.debug(
          { model: settings.model, fault: error instanceof Error ? error.name : 'unknown' },
          'model endpoint: embedded analysis instead',
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
    // Neither the text nor the key goes where the customer did not send it.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the model endpoint answered with status ${response.status}`);
  }
  return shape.parse(await response.json());
}

import { Client } from '@grpc/grpc-js';
import type { ServiceContext } from '@survey/process/service.ts';
import { BY_ACCOUNT } from './account-balancer.ts';
import { createBreaker } from './breaker.ts';
import { callOf, type CallOptions } from './call.ts';
import { CHANNEL_LIMITS, channelCredentials, RECONNECT } from './channel.ts';
import { isRepeatable, type MethodFunction, type ServiceDefinition, type MethodDefinition } from './definition.ts';
import { renewClient } from './renew-client.ts';

export type { CallOptions } from './call.ts';

/**
 * A gRPC service that this one calls: a function for each method of its generated definition.
 * @throws ApplicationError when the service returns one, UpstreamError when it fails or times out
 */
export type Upstream<D extends ServiceDefinition> = Disposable & {
  readonly [K in keyof D['methods']]: MethodFunction<D['methods'][K], CallOptions>;
};

// Maximum time until new instances of a service get their share of the calls.
const RENEW_INTERVAL_MS = 5 * 60_000;

interface UpstreamOptions {
  // Sends all calls of an account to one instance, for services that cache accounts; default: in
  // rotation.
  readonly byAccount?: boolean;
  readonly renewIntervalMs?: number;
}

/** Connects to the service at an address; connections are renewed at an interval. */
export function connectUpstream<D extends ServiceDefinition>(
  definition: D,
  address: string,
  context: ServiceContext,
  { byAccount = false, renewIntervalMs = RENEW_INTERVAL_MS }: UpstreamOptions = {},
): Upstream<D> {
  const { fullName, methods } = definition;
  const breaker = createBreaker(fullName, context);
  const clients = renewClient(clientFor(definition, address, byAccount, context), renewIntervalMs);
  const channel = { clients, breaker, traces: context.traces };
  const calls = Object.entries(methods).map(([name, method]) => [name, callOf(fullName, method, channel)]);
  const dispose = (): void => {
    breaker[Symbol.dispose]();
    clients[Symbol.dispose]();
  };
  // One function per method, of the method's type.
  return { ...Object.fromEntries(calls), [Symbol.dispose]: dispose } as Upstream<D>;
}

/** An upstream whose options, and request fields `F`, are supplied for the caller. */
export type BoundUpstream<D extends ServiceDefinition, F extends string = never> = {
  readonly [K in keyof D['methods']]: Upstream<D>[K] extends (request: infer R, options: CallOptions) => infer A
    ? (request: Omit<R, F>) => A
    : never;
};

/** Binds an upstream to the options of each method, and to fields of each unary request. */
export function bindUpstream<D extends ServiceDefinition, F extends object = object>(
  { methods }: D,
  upstream: Upstream<D>,
  optionsOf: (method: MethodDefinition) => CallOptions,
  fields?: F,
): BoundUpstream<D, keyof F & string> {
  const bound = Object.entries(methods).map(([name, method]) => {
    const call = upstream[name as keyof D['methods']] as (request: object, options: CallOptions) => unknown;
    return [name, (request: object) => call(method.requestStream ? request : { ...request, ...fields }, optionsOf(method))];
  });
  // The same methods by the same names.
  return Object.fromEntries(bound) as BoundUpstream<D, keyof F & string>;
}

function clientFor(
  definition: ServiceDefinition,
  address: string,
  byAccount: boolean,
  { grpcTls }: ServiceContext,
): () => Client {
  const credentials = channelCredentials(grpcTls);
  const balancing = byAccount ? BY_ACCOUNT : 'round_robin';
  const options = { ...CHANNEL_LIMITS, ...RECONNECT, 'grpc.service_config': serviceConfig(definition, balancing) };
  return () => new Client(`dns:///${address}`, credentials, options);
}

// Retries calls that the service never received, within a budget of 10 % of the calls.
function serviceConfig({ fullName: service, methods }: ServiceDefinition, balancing: string): string {
  const retryPolicy = {
    maxAttempts: 3,
    initialBackoff: '0.05s',
    maxBackoff: '0.5s',
    backoffMultiplier: 2,
    retryableStatusCodes: ['UNAVAILABLE'],
  };
  const name = Object.values(methods)
    .filter(isRepeatable)
    .map(({ name: method }) => ({ service, method }));
  return JSON.stringify({
    loadBalancingConfig: [{ [balancing]: {} }],
    retryThrottling: { maxTokens: 20, tokenRatio: 0.1 },
    methodConfig: [{ name, retryPolicy }],
  });
}

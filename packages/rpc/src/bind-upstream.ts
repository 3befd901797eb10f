import type { MethodDefinition, ServiceDefinition } from './definition.ts';
import type { CallOptions, Upstream } from './upstream.ts';

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

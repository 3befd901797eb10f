import { Refusal } from '@survey/rpc/refusal.ts';
import { Problem } from './problem.ts';

/** What a service found wrong in a request made of query parameters, as a 400 that names them; anything else as it is. */
export function asRefusedParameter(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code !== 'invalid') return error;
  const faults = error.findings.map(({ pointer, detail }) => ({ parameter: pointer.slice(1), detail }));
  return new Problem(400, `Query parameter ${error.message}.`, { faults });
}

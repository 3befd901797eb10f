import { ApplicationError } from '@survey/rpc/application-error.ts';
import { Problem } from './problem.ts';

/** What a service found wrong in a request made of query parameters, as a 400 that names them; anything else as it is. */
export function toParameterProblem(error: unknown): unknown {
  if (!(error instanceof ApplicationError) || error.code !== 'invalid') return error;
  const errors = error.fieldErrors.map(({ pointer, detail }) => ({ parameter: pointer.slice(1), detail }));
  return new Problem(400, `Query parameter ${error.message}.`, { errors });
}

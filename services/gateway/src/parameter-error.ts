import { ApplicationError } from '@survey/rpc/application-error.ts';
import { Problem } from './problem.ts';

/**
 * Converts an `invalid` error of a service into a 400 that names the query parameters; returns
 * other errors unchanged.
 */
export function toParameterProblem(error: unknown): unknown {
  if (!(error instanceof ApplicationError) || error.code !== 'invalid') return error;
  const errors = error.fieldErrors.map(({ pointer, detail }) => ({ parameter: pointer.slice(1), detail }));
  return new Problem(400, `Query parameter ${error.message}.`, { errors });
}

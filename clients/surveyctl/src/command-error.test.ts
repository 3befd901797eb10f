import { notFound } from '@survey/rpc/application-error.ts';
import { describe, expect, it } from 'vitest';
import { CommandError, EXIT, describeError } from './command-error.ts';

describe('a failure', () => {
  it('is reported in the words of the service that returned it', () => {
    expect(describeError(notFound('there is no account 9'), false)).toEqual({ message: 'there is no account 9', exitCode: 1 });
  });

  it('keeps the exit code it was raised with', () => {
    expect(describeError(new CommandError('no host:port', EXIT.usage), false)).toEqual({ message: 'no host:port', exitCode: 2 });
  });

  it('shows stacks and causes only on request', () => {
    const error = new CommandError('outer', EXIT.failed, { cause: new Error('inner') });
    expect(describeError(error, false).message).toBe('outer');
    expect(describeError(error, true).message).toMatch(/outer\n\s+at .*caused by: Error: inner\n\s+at /s);
  });

  it('reports any other error as a defect', () => {
    expect(describeError(new TypeError('x is not a function'), false)).toMatchObject({ exitCode: 1 });
    expect(describeError(new TypeError('x is not a function'), false).message).toMatch(/defect of surveyctl/);
  });
});

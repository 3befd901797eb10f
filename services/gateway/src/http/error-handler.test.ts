import { busy, conflict, invalid, mismatch, notFound, tooLarge, unsupported } from '@survey/rpc/application-error.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import { describe, expect, it } from 'vitest';
import { problemOf } from './error-handler.ts';
import { Problem, problemBody } from './problem.ts';

const fault = (status: string) => new UpstreamError(status, { cause: new Error('secret host') });

describe('problemOf', () => {
  it.each([
    [invalid('x'), 400],
    [notFound('x'), 404],
    [conflict('x'), 409],
    [mismatch('x'), 422],
    [tooLarge('x'), 413],
    [unsupported('x'), 415],
    [busy('x'), 503],
    [fault('UNAVAILABLE'), 503],
    [fault('DEADLINE_EXCEEDED'), 503],
    [fault('INTERNAL'), 500],
    [fault('UNIMPLEMENTED'), 500],
    [new Error('select * from secret'), 500],
    ['a thrown string', 500],
    [undefined, 500],
    [Object.assign(new URIError('secret'), { status: 400 }), 400],
    [Object.assign(new Error('secret'), { status: 418 }), 400],
    [Object.assign(new Error('secret'), { status: 200 }), 500],
  ])('maps %s to status %i', (error, expected) => {
    const problem = problemOf(error);
    expect(problem.status).toBe(expected);
    expect(problemBody(problem, 'id')).not.toContain('secret');
    expect(problem.headers['Retry-After']).toBe(expected === 503 ? '2' : undefined);
  });

  it('keeps the field errors of a rejected body and their total', () => {
    const findings = [{ pointer: '/employees/3/role', detail: 'must be a string' }];
    expect(JSON.parse(problemBody(problemOf(invalid('the body has 7 faults', findings, 7)), 'id'))).toEqual({
      type: 'urn:survey:problem:invalid-request',
      title: 'The request is not valid',
      status: 400,
      detail: 'The body has 7 faults.',
      instance: 'id',
      errors: findings,
      errors_total: 7,
    });
  });
});

it.each([
  ['the body is empty', 'The body is empty.'],
  ['The body is empty.', 'The body is empty.'],
])('makes a sentence of %j', (words, sentence) => {
  expect(JSON.parse(problemBody(problemOf(notFound(words)), 'id')).detail).toBe(sentence);
});

it('omits errors from a problem without field errors', () => {
  expect(Object.keys(JSON.parse(problemBody(new Problem(409, 'x'), 'id')))).toEqual([
    'type',
    'title',
    'status',
    'detail',
    'instance',
  ]);
});

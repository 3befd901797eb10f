import { expect, it } from 'vitest';
import { startService } from '@survey/process/service.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { invalid, type FieldError, type ApplicationError } from './application-error.ts';
import { serve } from './serve.ts';
import { connectUpstream } from './upstream.ts';

// One method is enough.
const definition = { ...ExportServiceDefinition, methods: { listEmployees: ExportServiceDefinition.methods.listEmployees } };

/** Returns what a caller receives of an application error, over real gRPC. */
async function received(rejection: ApplicationError): Promise<unknown> {
  const outcome = Promise.withResolvers<unknown>();
  const settings = { PROBE_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent' };
  await using _service = await startService('rejecting', settings, async (context) => {
    const address = await serve('127.0.0.1:0', definition, { listEmployees: () => Promise.reject(rejection) }, context);
    const upstream = context.resources.use(connectUpstream(definition, address, context));
    const options = { caller: { requestId: 'r', accountId: 1 }, deadlineMs: 2_000 };
    upstream
      .listEmployees({ limit: 0, offset: 0, accept_gzip: false }, options)
      .then(outcome.reject, (error: unknown) => outcome.resolve(error));
    return { address, ready: () => Promise.resolve(true) };
  });
  return await outcome.promise;
}

it('arrives whole', async () => {
  const fieldErrors = [{ pointer: '/employees/0/é', detail: 'must be a string' }];
  expect(await received(invalid('wrong', fieldErrors, 3))).toMatchObject({
    code: 'invalid',
    message: 'wrong',
    fieldErrors,
    fieldErrorsTotal: 3,
  });
});

it.each([
  ['ASCII', 'a'],
  ['characters of three bytes', '語'],
  ['characters that JSON escapes', '\u0001'],
  ['surrogate pairs, cut in the middle', '😀'],
])('arrives with as many findings as fit, and the count of all: %s', async (_name, character) => {
  const finding: FieldError = { pointer: `/${character.repeat(300)}`, detail: character.repeat(300) };
  const rejection = await received(
    invalid(
      character.repeat(3_000),
      Array.from({ length: 100 }, () => finding),
      5_000,
    ),
  );
  expect(rejection).toMatchObject({ code: 'invalid', fieldErrorsTotal: 5_000 });
  expect(rejection).toHaveProperty(
    'fieldErrors.length',
    expect.toSatisfy((length: number) => length >= 10),
  );
});

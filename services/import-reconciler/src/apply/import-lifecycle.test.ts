import { DatabaseUnavailableError } from '@survey/postgres/database-error.ts';
import { describe, expect, it } from 'vitest';
import { isInfrastructureFault } from './import-lifecycle.ts';

const withCode = (code: string): Error => Object.assign(new Error('it failed'), { code });

describe('isInfrastructureFault', () => {
  it.each(['08006', '25006', '40P01', '53300', '53100', '55P03', '57P01', '58030', 'XX000', 'ECONNRESET', 'ENOSPC'])(
    'returns true for %s, which is unrelated to the import [IMPORT-LIFECYCLE-RETRY-2]',
    (code) => expect(isInfrastructureFault(withCode(code))).toBe(true),
  );

  it('returns true when no connection is available [IMPORT-LIFECYCLE-RETRY-2]', () => {
    expect(isInfrastructureFault(new DatabaseUnavailableError('no database connection'))).toBe(true);
  });

  it.each(['22P05', '23505', '42703', '54000', 'ERR_INVALID_ARG_TYPE'])(
    'returns false for %s [IMPORT-LIFECYCLE-RETRY-2]',
    (code) => expect(isInfrastructureFault(withCode(code))).toBe(false),
  );

  it('returns false for an error without a code [IMPORT-LIFECYCLE-RETRY-2]', () => {
    expect(isInfrastructureFault(new Error('the accepted body is not valid any more'))).toBe(false);
  });
});

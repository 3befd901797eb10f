import { invalid } from '@survey/rpc/application-error.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * @throws `invalid` when PostgreSQL would not accept the text as a UUID; the error names `field`.
 */
export function checkUuid(text: string, field: string): void {
  if (!UUID.test(text)) throw invalid(`${field} must be a UUID`);
}

import { invalid } from '@survey/rpc/application-error.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Refuses what PostgreSQL would not take as a UUID. `field` names it in the refusal. */
export function checkUuid(text: string, field: string): void {
  if (!UUID.test(text)) throw invalid(`${field} must be a UUID`);
}

// Increase whenever a change of the rules gives equal bytes another meaning.
const RULES_VERSION = 2;

/**
 * Returns the salt of content hashes: everything besides a record's bytes that determines its
 * effect, which is the year (for buckets), the default language and the rules. After a change, the
 * next import reads every record again.
 */
export function contentSalt(accountSalt: string, acceptedYear: number, defaultLanguage: string): string {
  return `${accountSalt}/${RULES_VERSION}/${acceptedYear}/${defaultLanguage}`;
}

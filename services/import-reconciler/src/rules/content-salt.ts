// Grows whenever a change of the rules makes equal bytes mean something else.
const RULES_VERSION = 2;

/**
 * The salt of content hashes: it holds everything beside the bytes of a record that decides what the record does: the year (the
 * buckets move), the default language, the rules. A new salt costs one import in which every record is read again.
 */
export function contentSalt(accountSalt: string, acceptedYear: number, defaultLanguage: string): string {
  return `${accountSalt}/${RULES_VERSION}/${acceptedYear}/${defaultLanguage}`;
}

import type { PersonalCategory } from '@survey/text/masking/masker.ts';

// Presidio's entity types by category. Its LOCATION is any town or country, not a postal address.
const CATEGORIES: ReadonlyMap<string, PersonalCategory> = new Map([
  ['PERSON', 'name'],
  ['EMAIL_ADDRESS', 'email'],
  ['PHONE_NUMBER', 'phone'],
  ['ADDRESS', 'address'],
  ['STREET_ADDRESS', 'address'],
  ['POSTAL_ADDRESS', 'address'],
  ['ZIP_CODE', 'address'],
  ['UK_POSTCODE', 'address'],
  ['CREDIT_CARD', 'id'],
  ['CRYPTO', 'id'],
  ['IBAN_CODE', 'id'],
  ['IP_ADDRESS', 'id'],
  ['MAC_ADDRESS', 'id'],
  ['MEDICAL_LICENSE', 'id'],
  ['ID', 'id'],
]);

// US_SSN, ES_NIF, PL_PESEL: a country prefix marks a national id.
const NATIONAL = /^[A-Z]{2}_/;

/**
 * Returns the category of a Presidio entity type; undefined for types without one, such as dates.
 */
export function categoryOf(entityType: string): PersonalCategory | undefined {
  return CATEGORIES.get(entityType) ?? (NATIONAL.test(entityType) ? 'id' : undefined);
}

import type { PersonalCategory } from '@survey/pii-masking/masker.ts';

// What Presidio calls what the categories cover. Its LOCATION is any town or country, which is no postal address.
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

// US_SSN, ES_NIF, PL_PESEL: what has a country before it is a number that the country gives.
const NATIONAL = /^[A-Z]{2}_/;

/** The category of an entity of Presidio's; undefined for what no category covers, such as dates. */
export function categoryOf(entityType: string): PersonalCategory | undefined {
  return CATEGORIES.get(entityType) ?? (NATIONAL.test(entityType) ? 'id' : undefined);
}

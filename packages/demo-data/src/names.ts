import type { Faker } from '@faker-js/faker';
import { faker as german } from '@faker-js/faker/locale/de';
import { faker as british } from '@faker-js/faker/locale/en_GB';
import { faker as spanish } from '@faker-js/faker/locale/es';
import { faker as french } from '@faker-js/faker/locale/fr';
import { faker as italian } from '@faker-js/faker/locale/it';
import { faker as dutch } from '@faker-js/faker/locale/nl';
import { faker as polish } from '@faker-js/faker/locale/pl';
import { faker as swedish } from '@faker-js/faker/locale/sv';
import type { Random } from './random.ts';

const FAKERS: Readonly<Record<string, Faker>> = {
  de: german,
  en: british,
  es: spanish,
  fr: french,
  it: italian,
  nl: dutch,
  pl: polish,
  sv: swedish,
};

interface PersonName {
  firstname: string;
  lastname: string;
}

/** Invents a name that is usual in a language but belongs to no real person. */
export function inventName(language: string, random: Random): PersonName {
  const faker = FAKERS[language] ?? british;
  faker.seed(random.word());
  return { firstname: faker.person.firstName(), lastname: faker.person.lastName() };
}

/** Invents an undeliverable address; `tag` makes it unique. */
export function inventEmail({ firstname, lastname }: PersonName, tag: number | string): string {
  return `${mailName(firstname)}.${mailName(lastname)}.${tag}@example.com`;
}

// Letters that Unicode does not decompose into a plain letter and an accent.
const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', æ: 'ae', đ: 'd', ð: 'd', þ: 'th' };

function mailName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[ßłøæđðþ]/g, (letter) => PLAIN[letter] ?? '');
  return plain.normalize('NFD').replaceAll(/[^a-z]/g, '');
}

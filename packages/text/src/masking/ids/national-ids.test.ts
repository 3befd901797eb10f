import { expect, test } from 'vitest';
import { isDistinctive, nationalIdOf } from './national-ids.ts';

// Examples published by the authorities or by stdnum.
const VALID = [
  ['de-steuer-id', '36574261809', 'de'],
  ['de-svnr', '15070649C103', 'de'],
  ['at-svnr', '1237010180', 'de'],
  ['ch-ahv', '7569217076985', 'de'],
  ['fr-nir', '295109912611193', 'fr'],
  ['fr-nif', '3023217600053', 'fr'],
  ['nl-bsn', '111222333', 'nl'],
  ['be-nn', '85073003328', 'nl'],
  ['be-bis', '98472899765', 'nl'],
  ['es-dni', '54362315K', 'es'],
  ['es-nie', 'X2482300W', 'es'],
  ['es-nss', '281234567840', 'es'],
  ['it-codice-fiscale', 'RCCMNL83S18D969H', 'it'],
  ['gb-nino', 'AA123456C', 'en'],
  ['gb-nino', 'QQ123456C', 'en'],
  ['gb-nhs', '9434765919', 'en'],
  ['pl-pesel', '44051401359', 'pl'],
  ['pt-nif', '123456789', 'pt'],
  ['br-cpf', '39053344705', 'pt'],
  ['dk-cpr', '2110625629', 'da'],
  ['se-personnummer', '8803200016', 'sv'],
  ['se-personnummer', '198803200016', 'sv'],
] as const;

test.each(VALID)('recognises %s by its check digit', (name, value, language) =>
  expect(nationalIdOf(value, language, 'id')).toBe(name),
);

// The final letter of a NINO is no check character, and a CPR number has none.
test.each(VALID.filter(([name]) => !['gb-nino', 'dk-cpr'].includes(name)))(
  'rejects %s with another check digit',
  (_, value, language) => {
    const last = value.at(-1) ?? '';
    const other = /\d/.test(last) ? String((Number(last) + 1) % 10) : String.fromCharCode(last.charCodeAt(0) - 1);

    expect(nationalIdOf(value.slice(0, -1) + other, language, 'id')).toBeUndefined();
  },
);

const BY_CHANCE = [
  'de-steuer-id',
  'at-svnr',
  'nl-bsn',
  'gb-nhs',
  'pl-pesel',
  'pt-nif',
  'br-cpf',
  'dk-cpr',
  'se-personnummer',
  'fr-nif',
  'es-nss',
];

test.each(VALID)('needs the language or a cue word for %s only if a number may be valid by chance', (name, value, language) => {
  const isSeldom = !BY_CHANCE.includes(name);
  const nameIfSeldom = isSeldom ? name : undefined;
  expect(isDistinctive(name)).toBe(isSeldom);
  expect(nationalIdOf(value, 'xx', undefined)).toBe(nameIfSeldom);
  expect(nationalIdOf(value, language, 'phone')).toBe(nameIfSeldom);
  expect(nationalIdOf(value, language, 'amount')).toBe(nameIfSeldom);
});

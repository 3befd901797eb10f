import * as atVnr from 'stdnum/lib/cjs/at/vnr.js';
import * as beBis from 'stdnum/lib/cjs/be/bis.js';
import * as beNn from 'stdnum/lib/cjs/be/nn.js';
import * as brCpf from 'stdnum/lib/cjs/br/cpf.js';
import * as chSsn from 'stdnum/lib/cjs/ch/ssn.js';
import * as deIdnr from 'stdnum/lib/cjs/de/idnr.js';
import * as deSvnr from 'stdnum/lib/cjs/de/svnr.js';
import * as dkCpr from 'stdnum/lib/cjs/dk/cpr.js';
import * as esDni from 'stdnum/lib/cjs/es/dni.js';
import * as esNie from 'stdnum/lib/cjs/es/nie.js';
import * as esNss from 'stdnum/lib/cjs/es/nss.js';
import * as frNif from 'stdnum/lib/cjs/fr/nif.js';
import * as frNir from 'stdnum/lib/cjs/fr/nir.js';
import * as gbNino from 'stdnum/lib/cjs/gb/nino.js';
import * as itFiscale from 'stdnum/lib/cjs/it/codicefiscale.js';
import * as nlBsn from 'stdnum/lib/cjs/nl/bsn.js';
import * as plPesel from 'stdnum/lib/cjs/pl/pesel.js';
import * as ptNif from 'stdnum/lib/cjs/pt/nif.js';
import * as sePersonnummer from 'stdnum/lib/cjs/se/personnummer.js';
import type { NumberCue } from '../number-cues.ts';

interface NationalId {
  // The name of the rule, which its spans carry as their source.
  readonly name: string;
  // Matches the value in capitals, without spaces, dots, hyphens and slashes.
  readonly form: RegExp;
  readonly isValid: (value: string) => boolean;
  // Whether it is unlikely by chance, by letters, length or two check digits. Others need a cue
  // word or the language of their country.
  readonly distinctive: boolean;
  // Undefined for ids that look like phone numbers.
  readonly languages: readonly string[];
}

interface Validator {
  readonly validate: (value: string) => { readonly isValid: boolean };
}

const ids = (name: string, form: RegExp, validator: Validator, distinctive: boolean, ...languages: string[]): NationalId => ({
  name,
  form,
  isValid: (value) => withoutStacks(() => validator.validate(value).isValid),
  distinctive,
  languages,
});

// stdnum makes an error for every value that is not valid, and its stack trace, which nobody reads,
// takes ten times as long as the check.
function withoutStacks<T>(check: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return check();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * National ids of persons with a check digit, validated by stdnum; the NHS number, which stdnum
 * lacks, is validated here.
 */
const NATIONAL_IDS: readonly NationalId[] = [
  ids('it-codice-fiscale', /^[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPR-T][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]$/, itFiscale, true, 'it'),
  ids('de-svnr', /^\d{8}[A-Z]\d{3}$/, deSvnr, true, 'de'),
  ids('fr-nir', /^[12378]\d{4}(?:\d{2}|2A|2B)\d{8}$/, frNir, true, 'fr'),
  ids('ch-ahv', /^756\d{10}$/, chSsn, true, 'de', 'fr', 'it'),
  ids('es-dni', /^\d{8}[A-Z]$/, esDni, true, 'es'),
  ids('es-nie', /^[XYZ]\d{7}[A-Z]$/, esNie, true, 'es'),
  ids('gb-nino', /^[A-CEGHJ-PR-TW-Z]{2}\d{6}[A-D]$/, gbNino, true, 'en'),
  // Never assigned, but written instead of one.
  { name: 'gb-nino', form: /^QQ\d{6}[A-D]$/, isValid: () => true, distinctive: true, languages: ['en'] },
  ids('fr-nif', /^[0-3]\d{12}$/, frNif, false, 'fr'),
  ids('es-nss', /^\d{12}$/, esNss, false, 'es'),
  ids('be-nn', /^\d{11}$/, beNn, true, 'nl', 'fr'),
  ids('be-bis', /^\d{11}$/, beBis, true, 'nl', 'fr'),
  ids('de-steuer-id', /^[1-9]\d{10}$/, deIdnr, false, 'de'),
  ids('pl-pesel', /^\d{11}$/, plPesel, false, 'pl'),
  ids('pt-nif', /^[1-3]\d{8}$/, ptNif, false, 'pt'),
  ids('br-cpf', /^\d{11}$/, brCpf, false, 'pt'),
  ids('dk-cpr', /^\d{10}$/, dkCpr, false, 'da'),
  {
    name: 'se-personnummer',
    form: /^(?:19|20)?\d{10}$/,
    isValid: (value) => withoutStacks(() => sePersonnummer.validate(`${value.slice(0, -4)}-${value.slice(-4)}`).isValid),
    distinctive: false,
    languages: ['sv'],
  },
  ids('at-svnr', /^\d{10}$/, atVnr, false),
  { name: 'gb-nhs', form: /^\d{10}$/, isValid: isNhsNumber, distinctive: false, languages: [] },
  ids('nl-bsn', /^\d{9}$/, nlBsn, false, 'nl'),
];

/** Returns the kind of national id of a value, given the words before it. */
export function nationalIdOf(compact: string, language: string, cue: NumberCue | undefined): string | undefined {
  const isOtherwiseCued = cue === 'phone' || cue === 'amount';
  const trusted = (id: NationalId) => id.distinctive || (!isOtherwiseCued && (cue === 'id' || id.languages.includes(language)));
  return NATIONAL_IDS.find((id) => trusted(id) && accepts(id, compact))?.name;
}

/** Checks whether a kind of id is unlikely by chance. */
export const isDistinctive = (name: string): boolean => NATIONAL_IDS.some((id) => id.name === name && id.distinctive);

const accepts = (id: NationalId, compact: string): boolean => id.form.test(compact) && id.isValid(compact);

const NHS_WEIGHTS = [10, 9, 8, 7, 6, 5, 4, 3, 2];

// Weighted sum modulo 11 against the last digit.
function isNhsNumber(value: string): boolean {
  const sum = NHS_WEIGHTS.reduce((total, weight, at) => total + weight * Number(value[at]), 0);
  return (11 - (sum % 11)) % 11 === Number(value[9]);
}

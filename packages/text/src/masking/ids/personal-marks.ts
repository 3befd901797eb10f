import { isIP } from 'node:net';
import { allMatches } from '../all-matches.ts';
import type { Span } from '../masker.ts';

// What identifies a person without being a number: dates of birth, licence plates, names in social
// networks, and network addresses.

const MONTH =
  '(?:jan|ene|feb|fév|fev|mar|mär|mrt|maa|apr|avr|abr|may|mai|mei|jun|juin|jul|juil|aug|août|aout|ago|sep|oct|okt|nov|dec|dez|déc|dic)\\p{L}{0,7}';
const DAY = '\\d{1,2}(?:st|nd|rd|th|er|º|ª|\\.)?';
// A birthday needs no year: 24.12., but not 1/2 day off.
const DAY_AND_MONTH = '(?!1/2)(?:0?[1-9]|[12]\\d|3[01])(?:\\. ?(?:0?[1-9]|1[0-2])\\.|/(?:0?[1-9]|1[0-2]))(?![/.]?\\d)';
const DATE = `(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2} ?[-/.] ?\\d{1,2} ?[-/.] ?(?:\\d{4}|\\d{2})|${DAY} (?:of |de )?${MONTH}\\.?,?(?: (?:de |del )?(?:\\d{4}|\\d{2}))?|${MONTH}\\.? ${DAY},?(?: \\d{4})?)(?![\\p{L}\\p{N}])`;
const BORN = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:d\\.?o\\.?b|date of birth|birth ?date|birthday|born|geb|geboren|geburtsdatum|geburtstag|née?|date de naissance|anniversaire|nacid[oa]|nací|fecha de nacimiento|cumpleaños|geboortedatum|verjaardag|jarig|nat[oa]|data di nascita|data de nascimento|aniversário|urodzon[aey]|urodził\\p{L}{0,3}|data urodzenia|født|fødselsdato|fødselsdag|född|födelsedatum|födelsedag)(?![\\p{L}])[.:,=]?\\s{0,2}(?:(?:is|was|on|the|ist|war|am|der|den|est|le|es|el|op|de|il|em|se|się|jest|er|är)(?![\\p{L}])[\\s:]{1,2}){0,3}(${DATE}|${DAY_AND_MONTH})`,
  'giu',
);
const BEFORE_BORN = new RegExp(
  `(?<![\\p{L}\\p{N}/.-])(${DATE})(?= (?:geboren|born|nacid[oa]|nata?|née?|født|född)(?!\\p{L}))`,
  'giu',
);

// Letters and digits in groups, at least one of each; only capitals, because words look like this.
// After a car alone it is long: `Auto M-AB 1234`, but not `Audi A4`.
const PLATE_WORDS =
  '(?:licen[cs]e|number|registration|reg|my|his|her|our|your|car|van) ?plates?|(?:auto|kfz-?)kennzeichen|registration|kennzeichen|nummernschild|plaque|immatricul(?:ation|ée?s?)|matrícula|matriculado|placa|kenteken|kentekenplaat';
const VEHICLES = 'plates?|reg|car|van|auto|wagen|pkw|(?:dienst|firmen)wagen|voiture|véhicule|coche|furgoneta|bus|bestelbus|busje';
// Of what or whose it is: `Kennzeichen meines Wagens ist`, `matrícula del coche de mi jefe es`.
const PLATE_OF =
  '(?:\\s\\p{L}{1,15}){0,2}\\s(?:(?:my|his|her|our|(?:mein|dein|sein|ihr|unser)\\p{L}{0,2}|mon|ma|son|sa|mi|su|mijn|zijn|haar)\\s\\p{L}{1,15}|\\p{L}{0,9}(?:wagens?|autos?|fahrzeugs?)|car|van|truck|voiture|véhicule|coche|furgoneta)(?:\\s\\p{L}{1,15}){0,3}(?=\\s(?:is|was|ist|lautet|est|es)(?!\\p{L}))';
const PLATE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?i:(?:${PLATE_WORDS})(?:${PLATE_OF})?|(?:${VEHICLES})(?=[\\s:,=(]{1,2}(?-i:[A-ZÄÖÜ\\d][ -]?){6,9}(?![\\p{L}\\p{N}])))(?!\\p{L})(?:[\\s:,=]{1,2}(?i:is|was|ist|lautet|est|es|no|nr|number)(?!\\p{L})){0,2}[\\s:,=(]{1,2}((?=[A-ZÄÖÜ\\d -]{0,9}\\d)(?=[\\d -]{0,9}[A-ZÄÖÜ])[A-ZÄÖÜ\\d]{1,8}(?:[ -][A-ZÄÖÜ\\d]{1,4}){0,3})(?![\\p{L}\\p{N}])`,
  'gu',
);

const PROFILE_LINK =
  /(?<![\p{L}\p{N}])(?:linkedin\.com\/(?:in|pub)|(?:xing\.com|bsky\.app)\/profile|strava\.com\/athletes|(?:facebook|instagram|twitter|x|tiktok|threads|github|gitlab|fb|youtube)\.com|threads\.net|(?:t|fb|wa)\.me)\/@?([\p{L}\p{N}_.%-]{2,60}[\p{L}\p{N}_-])/giu;

const TO_ALL = '(?:all|alle|here|everyone|channel|team|tous|todos|iedereen)(?![\\p{L}\\p{N}_])';
const HANDLE = new RegExp(
  `(?<![\\p{L}\\p{N}_@./])@(?!${TO_ALL})(?=\\p{L}|\\d)([\\p{L}\\p{N}_.-]{1,29}[\\p{L}\\p{N}_])(?![@\\p{L}\\p{N}_])`,
  'giu',
);
const PROFILE =
  /(?<![\p{L}\p{N}])(?:twitter|instagram|insta|tiktok|snapchat|telegram|facebook|linkedin|mastodon|bluesky)(?: (?:handle|name|account|profile|profil|user|username))?\s?[:=]\s?([\p{L}\p{N}_.-]{3,30})/giu;

const IPV4 = /(?<![\p{N}.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/gu;
const IPV6 = /(?<![\p{L}\p{N}:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\p{L}\p{N}:])/giu;

/** Finds dates of birth, licence plates and handles, when a word or an @ announces them. */
export function findPersonalMarks(text: string): Span[] {
  return [
    ...spansOf(text, BORN, 'birth-date'),
    ...spansOf(text, BEFORE_BORN, 'birth-date'),
    ...spansOf(text, PLATE, 'licence-plate'),
    ...spansOf(text, PROFILE, 'handle'),
    ...spansOf(text, PROFILE_LINK, 'handle'),
    ...allMatches(text, HANDLE).map(({ 0: handle, index }) => spanOf(index, index + handle.length, 'handle')),
  ];
}

/** Finds IP addresses. A version, such as 10.2.14.1 after that word, is less certain to be one. */
export function findNetworkAddresses(text: string): Span[] {
  // `::` and times such as 10:30:00 identify no person.
  const addresses = [...allMatches(text, IPV4), ...allMatches(text, IPV6)].filter(
    ({ 0: value }) => isIP(value) !== 0 && value.length > 6,
  );
  return addresses.map(({ 0: value, index }) => ({
    start: index,
    end: index + value.length,
    category: 'id',
    source: 'ip',
    // Above a count (`193 blocked`), below a version.
    confidence: 0.76,
  }));
}

// The value is at the end of the match.
function spansOf(text: string, pattern: RegExp, source: string): Span[] {
  return allMatches(text, pattern).map(({ 0: found, 1: value = '', index }) => {
    const end = index + found.length;
    return spanOf(end - value.length, end, source);
  });
}

const spanOf = (start: number, end: number, source: string): Span => ({ start, end, category: 'id', source, confidence: 0.85 });

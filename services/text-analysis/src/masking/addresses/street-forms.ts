// How streets, postcodes and mailboxes are written. Bounded quantifiers throughout; every form starts at a boundary: linear in the text.

const WORD = "(?:\\p{Lu}\\p{L}{0,3}\\.(?= ?[\\p{L}\\d])|\\p{Lu}[\\p{L}\\p{M}'’-]{0,30})";
const SMALL =
  "(?:de|du|des|del|della|di|da|do|dos|la|le|les|los|las|el|l'|d'|van|van de|van den|van der|der|den|op|aan|zum|zur|am|an der|im|in der|auf der|unter den|of|the|and|y|e|et|en)";
const NUMBER = '\\d{1,5}(?: ?[a-zA-Z](?![\\p{L}]))?(?: ?[-/] ?\\d{1,4}[a-zA-Z]?)?(?: ?(?:bis|ter|quater)(?![\\p{L}]))?';
const UNIT =
  '(?:[, ]{1,2}(?:apt|apartment|suite|ste|unit|flat|floor|room|bldg|wohnung|whg|app|appt|apto|piso|puerta|bus|etage|étage|bât)\\.? ?#?[\\p{L}\\d]{1,6}(?![\\p{L}]))?';

const EN_SUFFIX =
  'street|st|avenue|ave|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|place|pl|square|sq|terrace|way|crescent|cres|close|parkway|pkwy|highway|hwy|circle|cir|trail|grove|gardens|loop|plaza|walk|row|hill|view|mews|alley|ridge|run|pike|creek|path|quay|esplanade|parade';
const GLUED_SUFFIX =
  'stra(?:ß|ss)e|str\\.?|weg|gasse|platz|allee|ufer|ring|damm|chaussee|steig|stieg|markt|berg|hof|graben|straat|laan|plein|gracht|kade|singel|dreef|steeg|dijk|pad|gatan|vägen|gata|vej|gade|veien|katu|tie|utca|tér';
const WORD_SUFFIX =
  'Stra(?:ß|ss)e|Str\\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer|Markt|Straat|Laan|Plein|Gracht|Kade|Singel|Street|utca|út|tér|körút|köz|sor';
const ROMANCE_PREFIX =
  'rue|avenue|av\\.?|boulevard|bd\\.?|blvd\\.?|place|chemin|allée|allee|impasse|quai|route|cours|square|villa|calle|c/|cl\\.?|avenida|avda\\.?|plaza|pza\\.?|paseo|pº|ronda|camino|carrera|carretera|ctra\\.?|travesía|urbanización|via|viale|piazza|corso|vicolo|largo|rua|travessa|praça|ul\\.?|ulica|aleja|al\\.';

const form = (source: string, flags = 'gu'): RegExp => new RegExp(source, flags);
const START = '(?<![\\p{L}\\p{N}])';
const END = '(?![\\p{L}\\p{N}])';

/** Forms that are an address, or the core of one, by themselves. */
export const STREET_FORMS: readonly RegExp[] = [
  // 12 North Oak Street, Apt. 4
  form(
    `${START}\\d{1,6}[a-zA-Z]?(?:[-/]\\d{1,5})?,? (?:(?:N|S|E|W|NE|NW|SE|SW)\\.? )?(?:(?:${WORD}|\\d{1,3}(?:st|nd|rd|th)) ){1,4}(?:${EN_SUFFIX}|${EN_SUFFIX.toUpperCase()}|${titleCase(EN_SUFFIX)})${END}\\.?${UNIT}`,
  ),
  // Hauptstraße 5, Lange Nieuwstraat 12a
  form(`${START}(?:${WORD} ){0,2}\\p{Lu}[\\p{L}\\p{M}-]{1,30}(?:${GLUED_SUFFIX})\\.? ?${NUMBER}${END}${UNIT}`),
  // Berliner Straße 17, Am Alten Markt 3
  form(`${START}(?:${WORD} ){1,3}(?:${WORD_SUFFIX}) ${NUMBER}${END}${UNIT}`),
  // 3 bis, rue de la Paix; Calle Mayor, 14
  form(
    `${START}(?:${NUMBER},? )?(?:${ROMANCE_PREFIX}|${titleCase(ROMANCE_PREFIX)}) (?:${SMALL} ?){0,3}${WORD}(?:[ -](?:${SMALL} ?){0,2}${WORD}){0,4}(?:,? ?(?:n[º°.]?o?\\.? ?)?${NUMBER})?${END}${UNIT}`,
  ),
  // P.O. Box 12, Postfach 12 34 56
  form(
    `${START}(?:p\\.? ?o\\.? ?box|postfach|b\\.?p\\.?|boîte postale|apartado(?: de correos)?|apdo\\.?|postbus|psc \\d{1,5}, box|unit \\d{1,5} box) ?#?\\d{1,6}(?: \\d{2,4}){0,2}${END}`,
    'giu',
  ),
];

/** A number on both sides of capitalised words: streets of countries whose words for them are not above. */
export const BETWEEN_NUMBERS = form(`${START}(?<![.,:])\\d{1,6} (?:(?:${SMALL} ){0,2}${WORD} ){1,4}${NUMBER}${END}${UNIT}`);

/** Postcodes whose form tells; a town may follow or come before. */
export const POSTCODE_FORMS: readonly RegExp[] = [
  // London SW1A 1AA
  form(`${START}(?:GIR 0AA|[A-PR-UWYZ][A-HK-Y]?\\d[A-Z\\d]? \\d[ABD-HJLNP-UW-Z]{2})${END}`),
  // 1012 AB Amsterdam
  form(`${START}[1-9]\\d{3} ?(?!SA|SD|SS)[A-Z]{2} ${WORD}(?: ${WORD})?${END}`),
  // Springfield, IL 62704
  form(
    `${START}(?:${WORD} ){0,3}${WORD},? (?:A[KLRZAEP]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]),? \\d{5}(?:-\\d{4})?${END}`,
  ),
  // Toronto M5V 2T6
  form(`${START}[ABCEGHJ-NPRSTVXY]\\d[A-Z] ?\\d[A-Z]\\d${END}`),
  // D-10115 Berlin, 75001 Paris
  form(
    `${START}(?<![.,€$£])(?:(?:[A-Z]{1,2}-)\\d{4,5}|\\d{5}) ${WORD}(?:[ -](?:am|an der|im|bei|sur|sous|la|le|les|de|del|los|aan den|a\\. ?d\\.|${WORD})){0,3}${END}`,
  ),
];

/** A word that says that an address follows, and a street with its number in any form. */
export const CUED_FORM = form(
  `(?:${START}(?:live|lives|living|lived|reside|based|located|moved|move) (?:at|on|to)|address(?: is|:)|wohne?t? (?:in der|in|am|an der|im|auf der)|adresse(?: ist| est|:| lautet)|anschrift(?: ist|:)|habite(?: au| à| rue)?|domicilié(?:e)? (?:au|à)|vivo en|vive en|domicilio(?: es|:| en)|dirección(?: es|:)|woon(?:t)? (?:op|aan|in)|adres(?: is|:))\\s{1,2}((?:[\\p{L}\\p{M}'’.-]{1,30} ){1,5}${NUMBER}|\\d{1,5},? (?:[\\p{L}\\p{M}'’.-]{1,30}[ ,]{0,2}){1,5})(?=[,;\\n.]|$)`,
  'giu',
);

/** One more part of an address behind what is found of it: a unit, a number or postcode, or capitalised words such as a town. */
export const NEXT_PART = form(
  `^[,;\\s-]{1,4}(?:(?<unit>(?:[Aa]pt|[Aa]partment|[Ss]uite|[Ss]te|[Uu]nit|[Ff]lat|[Ww]ohnung|[Aa]pp|[Pp]iso|[Bb]us)\\.? ?#?[\\p{L}\\d]{1,6}${END})|(?<number>(?:[A-Z]{1,2}-)?\\d{3,6}(?:[- ]\\d{3,4})?(?: [A-Z]{2})?${END})|(?<words>${WORD}(?:[ -](?:${SMALL} )?${WORD}){0,3}))`,
);

function titleCase(words: string): string {
  return words.replaceAll(/(^|\|)(\p{Ll})/gu, (_, bar: string, letter: string) => bar + letter.toUpperCase());
}

// Forms of streets, postcodes and mailboxes. All quantifiers are bounded and every form starts at a
// boundary, so matching is linear in the text.

const WORD = "(?:\\p{Lu}\\p{L}{0,3}\\.(?= ?[\\p{L}\\d])|\\p{Lu}[\\p{L}\\p{M}'’-]{0,30})";
const SMALL =
  "(?:de|du|des|del|della|di|da|do|das|dos|la|le|les|los|las|el|l'|d'|van|van de|van den|van der|der|den|op|aan|zum|zur|am|an der|im|in der|auf der|unter den|of|the|and|y|e|et|en|\\p{Ll}{1,3}\\.)";
const NUMBER = '\\d{1,5}(?: ?[a-zA-Z](?![\\p{L}]))?(?: ?[-/] ?\\d{1,4}[a-zA-Z]?)?(?: ?(?:bis|ter|quater)(?![\\p{L}]))?';
const UNIT =
  '(?:[, ]{1,2}(?:apt|apartment|suite|ste|unit|flat|floor|room|bldg|wohnung|whg|app|appt|apto|piso|puerta|bus|etage|étage|bât)\\.? ?#?[\\p{L}\\d]{1,6}(?![\\p{L}]))?';

const EN_SUFFIX = 'street|st|avenue|ave|road|rd|lane|ln|boulevard|blvd|crescent|parkway|pkwy|highway|hwy';
// Words that are also common words.
const EN_WORD_SUFFIX =
  'drive|dr|court|ct|place|pl|square|sq|terrace|way|cres|close|circle|cir|trail|grove|gardens|loop|plaza|walk|row|hill|view|mews|alley|ridge|run|pike|creek|path|quay|esplanade|parade';
const GLUED_SUFFIX =
  'stra(?:ß|ss)e|str\\.?|weg|gasse|platz|allee|ufer|ring|damm|chaussee|steig|stieg|markt|berg|hof|graben|straat|laan|plein|gracht|kade|singel|dreef|steeg|dijk|pad|strook|stok|wal|gatan|vägen|gata|vej|gade|veien|katu|tie|utca|tér';
const WORD_SUFFIX =
  'Stra(?:ß|ss)e|Str\\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer|Markt|Straat|Laan|Plein|Gracht|Kade|Singel|Street|utca|út|tér|körút|köz|sor';
const ROMANCE_PREFIX =
  'rue|rúa|avenue|av\\.?|boulevard|bd\\.?|blvd\\.?|place|chemin|allée|allee|impasse|quai|route|cours|calle|c/|cl\\.?|avenida|avda\\.?|plaza|pza\\.?|paseo|pº|ronda|camino|carrera|carretera|ctra\\.?|travesía|urbanización|via|viale|piazza|corso|vicolo|largo|rua|travessa|praça|ul\\.?|ulica|ulicy|aleja|al\\.|plac|pl\\.|osiedle|os\\.|strada|piazzale|viale|lungotevere|contrada|alameda|estrada';

interface AddressForm {
  readonly source: string;
  // Matches the address, or captures it in its first group.
  readonly pattern: RegExp;
  // Cheap pattern, starting at a digit, that matches wherever `pattern` does.
  readonly hint: RegExp;
  // Whether a match counts only with a known town or region in it.
  readonly needsPlace: boolean;
  // Whether only capitals identify the form, so that it is skipped in text without capitals.
  readonly needsCapitals: boolean;
  // Whether a match needs an uncommon word, because the form has no word for a street.
  readonly needsName: boolean;
}

const START = '(?<![\\p{L}\\p{N}])';
const END = '(?![\\p{L}\\p{N}])';
const TOWN_WORDS = `${WORD}(?:[ -](?:${SMALL} )?${WORD}){0,3}`;
const POSTCODE = `(?:[A-Z]{1,2}-)?\\d{4,5}(?: ?[A-Z]{2}(?![\\p{L}]))?`;
const STREET_WORDS = `${WORD}[ -](?:(?:${SMALL} ){0,2}${WORD}[ -]){0,3}`;

function form(
  source: string,
  pattern: string,
  hint: RegExp,
  { flags = 'gu', needsPlace = false, needsCapitals = false, needsName = false } = {},
): AddressForm {
  return {
    source,
    pattern: new RegExp(pattern, flags),
    hint,
    needsPlace,
    needsCapitals: needsCapitals || needsPlace || needsName,
    needsName: needsPlace || needsName,
  };
}

/** Forms of an address, or of its core. */
export const ADDRESS_FORMS: readonly AddressForm[] = [
  // 12 North Oak Street, Apt. 4
  form('street', englishStreet(EN_SUFFIX), /\d[a-zA-Z]?,? [\p{Lu}\d]/u),
  form('street', englishStreet(EN_WORD_SUFFIX), /\d[a-zA-Z]?,? [\p{Lu}\d]/u, { needsCapitals: true }),
  // Hauptstraße 5, Lange Nieuwstraat 12a
  form(
    'street',
    `${START}(?:${WORD}[ -]){0,2}(?:\\p{Lu}[\\p{L}\\p{M}-]{1,30}(?:${GLUED_SUFFIX})|\\p{Lu}\\p{L}{2,12}(?:er|en) (?:${WORD_SUFFIX})) ?\\.? ?${NUMBER}${END}${UNIT}`,
    new RegExp(`\\d(?<=(?:${GLUED_SUFFIX}|${WORD_SUFFIX})\\.? ?\\d)`, 'iu'),
  ),
  // Berliner Straße 17, Am Alten Markt 3
  form(
    'street',
    `${START}(?:${WORD}[ -]){1,3}(?:${WORD_SUFFIX}) ${NUMBER}${END}${UNIT}`,
    new RegExp(`\\d(?<=(?:${WORD_SUFFIX}) \\d)`, 'u'),
  ),
  // 3 bis, rue de la Paix; Calle Mayor, 14
  form(
    'street',
    `${START}(?:${NUMBER},? )?(?:${ROMANCE_PREFIX}|${titleCase(ROMANCE_PREFIX)}) (?:${SMALL} ?){0,3}${WORD}(?:[ -](?:${SMALL} ?){0,2}${WORD}){0,4}(?:,? ?(?:n[º°.]?o?\\.? ?)?${NUMBER})?${END}${UNIT}`,
    new RegExp(
      `\\d(?<=(?<!\\p{L})(?:${ROMANCE_PREFIX}) [^\\d\\n]{2,70}\\d)|\\d ?(?:bis|ter|[a-z])?,? (?:${ROMANCE_PREFIX}) `,
      'iu',
    ),
  ),
  // P.O. Box 12, Postfach 12 34 56
  form(
    'mailbox',
    `${START}(?:p\\.? ?o\\.? ?box|postfach|b\\.?p\\.?|boîte postale|apartado(?: de correos)?|apdo\\.?|postbus|psc \\d{1,5}, box|unit \\d{1,5} box) ?#?\\d{1,6}(?: \\d{2,4}){0,2}${END}`,
    /\d(?<=(?:box|postfach|b\.?p\.?|postale|apartado|correos|apdo\.?|postbus) ?#?\d)/iu,
    { flags: 'giu' },
  ),
  // A number on both sides of capitalised words: streets of countries whose street words are not
  // listed above.
  form('street', `${START}(?<![.,:])\\d{1,6} ${STREET_WORDS}${NUMBER}${END}${UNIT}`, /\d \p{L}/u, { needsName: true }),
  // Atamaria 52, 36847 Fornelos: any words with a number, a postcode and a town.
  form(
    'street',
    `${START}${STREET_WORDS}${NUMBER}[,\\s]\\s{0,2}${POSTCODE} ${TOWN_WORDS}`,
    /\d[a-zA-Z]?,? ?\s?(?:[A-Z]{1,2}-)?\d{4}/u,
    { needsName: true },
  ),
  // Kromwater 38, Zoetermeer: without a postcode the town must be known.
  form('street', `${START}${STREET_WORDS}${NUMBER}, ?\\s?${TOWN_WORDS}`, /\d[a-zA-Z]?, ?\s?\p{Lu}/u, { needsPlace: true }),
  // London SW1A 1AA
  form(
    'postcode',
    `${START}(?:GIR 0AA|[A-PR-UWYZ][A-HK-Y]?\\d[A-Z\\d]? \\d[ABD-HJLNP-UW-Z]{2})${END}`,
    /\d [\dA-Z]{3}|[A-Z] \d[A-Z]{2}/u,
  ),
  // 1012 AB Amsterdam
  form('postcode', `${START}[1-9]\\d{3} ?(?!SA|SD|SS)[A-Z]{2} ${WORD}(?: ${WORD})?${END}`, /\d{4} ?[A-Z]{2} \p{Lu}/u),
  // USNS Name, FPO AP 60677
  form(
    'mailbox',
    `${START}(?:(?:US[A-Z]{1,3} ${WORD}|PSC \\d{1,5}, Box \\d{1,6}|Unit \\d{1,6} Box \\d{1,6}),?\\s{1,2})?[ADF]PO,? A[AEP] \\d{5}${END}`,
    /PO,? A[AEP] \d{5}/u,
  ),
  // Springfield, IL 62704
  form(
    'postcode',
    `${START}(?:${WORD} ){0,3}${WORD},? (?:A[AEPKLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]),? \\d{5}(?:-\\d{4})?${END}`,
    /\d{5}(?<=[A-Z]{2},? \d{5})/u,
  ),
  // Toronto M5V 2T6
  form('postcode', `${START}[ABCEGHJ-NPRSTVXY]\\d[A-Z] ?\\d[A-Z]\\d${END}`, /\d[A-Z] ?\d[A-Z]\d/u),
  // D-10115 Berlin
  form('postcode', `${START}[A-Z]{1,2}-\\d{4,5} ${TOWN_WORDS}`, /\d{4}(?<=-\d{4})/u),
  // 00-950 Warszawa, 1000-001 Lisboa
  form('postcode', `${START}(?:\\d{2}-\\d{3}|[1-9]\\d{3}-\\d{3}) ${TOWN_WORDS}`, /\d-\d{3} \p{Lu}/u, { needsPlace: true }),
  // 75001 Paris
  form('postcode', `${START}(?<![.,€$£])\\d{5} ${TOWN_WORDS}`, /\d{5} \p{Lu}/u, { needsPlace: true }),
  // A postcode alone, with a word that says so.
  form(
    'postcode',
    `${START}(?:zip(?: ?code)?|post ?code|postal code|plz|postleitzahl|code postal|código postal|codice postale|kod pocztowy|postnummer)(?: is| ist| est| es|:){0,2} (\\d{2}-\\d{3}|\\d{4}-\\d{3}|\\d{3} \\d{2}|\\d{4,5}(?: ?[A-Z]{2}(?!\\p{L}))?)${END}`,
    /\d(?<=(?:zip|post|plz|posta|code|poczt)[^\n]{0,16}\d)/iu,
    { flags: 'giu' },
  ),
  // `I live at` or the like, followed by a street in any form.
  form(
    'address-cue',
    `(?:${START}(?:live|lives|living|lived|reside|based|located|moved?|meet me) (?:at|on|to)|address(?: is|:| to)|wohne?t? (?:in der|in|am|an der|im|auf der)|gezogen in die|umzug (?:in die|nach)|adresse(?: ist| est|:| lautet)|anschrift(?: ist|:)|habite(?: au| à| rue)?|déménagé(?:e)? au|domicilié(?:e)? (?:au|à)|vivo en|vive en|domicilio(?: es|:| en)|dirección(?: es|:)|mudado a|woon(?:t)? (?:op|aan|in)|verhuisd naar|adres(?: is|:))\\s{1,2}((?:[\\p{L}\\p{M}'’.-]{1,30} ){1,5}${NUMBER}|\\d{1,5},? (?:[\\p{L}\\p{M}'’.-]{1,30}[ ,]{0,2}){1,5})(?=[,;\\n.]|$)`,
    /\d(?<=(?:liv|resid|based|locat|move|meet|address|wohn|gezogen|umzug|adres|anschrift|habit|déménag|domicil|viv|direcci|mudado|woon|verhuisd)[^\n]{3,60}\d)/iu,
    { flags: 'giu' },
  ),
];

/** Next part of an address: a unit, a number or postcode, or capitalised words such as a town. */
export const NEXT_PART = new RegExp(
  `^[,;\\s-]{1,4}(?:(?<unit>(?:[Aa]pt|[Aa]partment|[Ss]uite|[Ss]te|[Uu]nit|[Ff]lat|[Ww]ohnung|[Aa]pp|[Pp]iso|[Bb]us)\\.? ?#?[\\p{L}\\d]{1,6}${END}|\\d{1,2}[ºª°](?: ?(?:\\p{Lu}|izqd?a?|dcha?)${END})?)|(?<number>(?:[A-Z]{1,2}-)?\\d{3,6}(?:[- ]\\d{2,4})?(?: [A-Z]{2})?${END})|(?<words>${TOWN_WORDS}))`,
  'u',
);

function englishStreet(suffix: string): string {
  const suffixes = `(?:${suffix}|${suffix.toUpperCase()}|${titleCase(suffix)})`;
  const direction = '(?:(?:N|S|E|W|NE|NW|SE|SW)\\.? )?';
  return `${START}\\d{1,6}[a-zA-Z]?(?:[-/]\\d{1,5})?,? ${direction}(?:(?:${WORD}|\\d{1,3}(?:st|nd|rd|th)) ){1,4}${suffixes}${END}\\.?${UNIT}`;
}

function titleCase(words: string): string {
  return words.replaceAll(/(^|\|)(\p{Ll})/gu, (_, bar: string, letter: string) => bar + letter.toUpperCase());
}

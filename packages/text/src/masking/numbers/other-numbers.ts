// The numbers of working life that are nobody's: times, dates, years, amounts and counts,
// standards, versions, and what is named by a number, such as a project, a part, a room or a page.

import { allMatches } from '../all-matches.ts';
import { DIGIT, KIND, OTHER } from '../letters.ts';
import type { Span } from '../masker.ts';

/** A range of the text that is such a number, and how sure that is (0 … 1). */
export interface OtherNumber {
  readonly start: number;
  readonly end: number;
  readonly certainty: number;
}

const START = '(?<![\\p{L}\\p{N}])';
const END = '(?![\\p{L}\\p{N}])';
// To, in a range.
const TO = '(?: ?[-–/] ?| (?:to|and|bis|und|à|et|a|y|tot|en) (?:las |à )?)';
const THOUSANDS = "\\d{1,3}(?:(?: \\d{3}){1,2}|(?:\\.\\d{3}){1,3}|(?:,\\d{3}){1,3}|(?:'\\d{3}){1,3})(?!\\d)";
const NUMBER = `(?:${THOUSANDS}|\\d{1,7}(?:[.,]\\d{1,6})?)`;
const RANGE = `${NUMBER}(?:${TO}${NUMBER}|(?: ?[x×] ?${NUMBER}){1,3})`;
const TIME = '(?:[01]?\\d|2[0-4])(?:[:.h][0-5]\\d(?::[0-5]\\d)?|h)(?: ?(?:am|pm|uhr|hrs?|h|uur)(?!\\p{L}))?';
const CLOCK = '(?:[01]\\d|2[0-4])[0-5][05]';
const WEEKDAYS = 'mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mer|jeu|ven|sam|dim|mié|jue|vie|sáb|dom|ma|wo|za|zo';
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const MONTH = '(?:0?[1-9]|1[0-2])';
const YEAR = '(?:19|20)\\d\\d';
const DATE = `(?:${YEAR}[-/.]${MONTH}[-/.]${DAY}|${DAY}[-/.] ?${MONTH}[-/.] ?(?:${YEAR}|\\d\\d)|${MONTH}/${DAY}/(?:${YEAR}|\\d\\d))`;
const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl', 'it', 'pt', 'pl', 'da', 'sv'];
// Long, and abbreviated to at least three letters, which may be a first name: Jan, Mar, Mai.
const MONTH_NAMES = new Set(
  LANGUAGES.flatMap((language) =>
    Array.from({ length: 12 }, (_, month) => {
      const name = new Date(2000, month, 15).toLocaleString(language, { month: 'long' });
      return [name.slice(0, 3), name.slice(0, 4), name];
    }).flat(),
  ).map((name) => name.toLowerCase()),
);
const MONTH_NAME = `(?:${[...MONTH_NAMES].join('|')})(?!\\p{L})\\.?`;
// Start of a number. A sign may precede it, because more than one reading of a text is tried.
const FIRST = '(?<!\\d)';
const LAST = '(?!\\d)';

// What a number counts or measures.
const UNITS =
  '(?:[%‰€$£°](?! ?\\d)|(?:eur|euros?|usd|chf|gbp|dollars?|percent|prozent|pour ?cent|por ?ciento|procent|k|m|mio|mrd|bn|[kmg]?w|kwh|mwh|[km]?v|a|[kmg]?hz|[kmgt]b|k?g|t|[mck]?m[23²³]?|l|ml|bar|psi|db|px|pcs|x|h|min|sec|s|hours?|hrs?|stunden?|std|heures?|horas?|uur|uren|minut\\p{L}{0,3}|days?|tagen?|jours?|días|dagen|weeks?|wochen?|semaines?|semanas?|weken|months?|monaten?|mois|mes(?:es)?|maanden|years?|jahren?|ans|années|años|jaar|people|persons|leute|gens|gente|mensen|pieces?|pièces|piezas|stuks|employees|personen|personnes|personas|mitarbeiter\\p{L}{0,5}|kunden|customers|units|stück|points?|punkten?|puntos|punten|degrees|grad|degrés|grados|graden)(?![\\p{L}\\p{N}]| ?\\d))';
// Words after a number that it does not count.
const NO_NOUN =
  '(?:and|or|is|was|are|were|has|had|if|when|but|with|without|to|for|at|on|in|from|by|not|the|my|his|her|our|your|this|that|so|then|any|please|after|before|und|oder|ist|war|wenn|aber|mit|ohne|zu|für|auf|von|bei|nicht|der|die|das|den|dem|ein|eine|mein|meine|sein|ihr|dann|bitte|nach|vor|falls|als|et|ou|est|était|si|mais|avec|sans|pour|sur|dans|par|pas|le|la|les|un|une|mon|ma|son|sa|ce|quand|après|avant|merci|y|o|es|era|si|pero|con|sin|para|por|en|no|el|los|las|una|mi|su|cuando|tras|antes|gracias|of|maar|met|zonder|voor|naar|bij|niet|het|een|mijn|zijn|haar|als|dan|na|graag|da|om|danke|thanks|bedankt|anytime|only)(?!\\p{L})';

// What is numbered: the number after such a word names it.
const NAMED =
  'project|part|item|article|order|invoice|delivery|shipment|batch|lot|serial|sku|ean|gtin|upc|barcode|model|type|machine|press|line|room|hall|gate|door|dock|bay|aisle|shelf|rack|building|block|floor|level|desk|locker|station|platform|bus|tram|train|flight|route|version|release|build|section|chapter|page|paragraph|clause|form|figure|step|grade|band|cost cent(?:re|er)|budget line|error|http|week|regulation|directive|act|request|trace id|trace|ticket|incident|issue|contract|agreement|memo|procedure|change request|purchase order|work order|(?:cost|ledger) account' +
  '|projekt|(?:(?:ersatz|bau)?teil|sach|material|zeichnung|werkzeug|inventar|geräte)(?:e|s)?|artikel|auftrags?|bestell(?:ung)?|rechnungs?|liefer(?:schein|ung)|charge|los|serien?|position|maschine|presse|fräse|anlage|linie|raum|besprechungsraum|saal|halle|tor|tür|rampe|gang|regal|gebäude|stock|ebene|spind|gleis|zug|abschnitt|kapitel|seite|absatz|abs|art|ziffer|verordnung|gesetz|kostenstelle|sachkonto|fehler(?:code)?|woche|kw|stufe|entgeltgruppe|eg|vorgang|anfrage|richtlinie|(?:dienst|arbeits|verfahrens)anweisung|(?:betriebs|dienst)vereinbarung|rundschreiben|vertrag|störung|änderungsantrag' +
  "|projet|pièce|référence|réf|commande|facture|bon|livraison|série|ligne|salle|porte|quai|allée|bâtiment|étage|niveau|vol|chapitre|alinéa|centre de coûts?|ligne budgétaire|erreur|code d['’]erreur|semaine|échelon|coefficient|indice|catégorie|requête|traitement|règlement|loi|politique|note de service|procédure|accord|contrat|(?<!de )dossier" +
  '|proyecto|pieza|referencia|artículo|pedido|factura|albarán|lote|máquina|prensa|línea|sala|nave|puerta|muelle|pasillo|edificio|planta|nivel|autobús|tren|vuelo|versión|apartado|sección|capítulo|página|centro de coste|partida|código de error|semana|grupo|solicitud|proceso|reglamento|ley|política|circular|procedimiento|contrato|incidencia|expediente' +
  '|turno|porta|capannone|padiglione|pavilhão|armazém|hala|brama|zmiana|vagt|port|pass|hall|skift|sal|schicht|shift|dienst|ploeg|quart|onderdeel|bestelling|factuur|levering|partij|pers|lijn|zaal|vergaderzaal|kamer|hal|poort|deur|dok|gebouw|verdieping|trein|versie|paragraaf|hoofdstuk|pagina|lid|kostenplaats|budgetregel|fout(?:code)?|schaal|trede|verzoek|proces|beleid|richtlijn|melding|wijzigingsverzoek';
const NUMBER_WORD = '(?:no|nr|num|number|nummer|numéro|numero|número|code|id|n°|nº|n\\.º|n\\.|#)';
const STANDARD =
  '(?:ISO|IEC|DIN|EN|NF|UNE|NEN|BS|ANSI|IEEE|RFC|ASTM|VDE|VDI|VDA|OHSAS|DGUV|TRBS|IATF|SAE|EU|UE|RAL|HTTP|CW|KW|FY)(?:[ /-](?:ISO|IEC|EN|TS|TR))*';

interface Form {
  readonly pattern: RegExp;
  readonly certainty: number;
}

const form = (certainty: number, pattern: string, flags: string): Form => ({ pattern: new RegExp(pattern, flags), certainty });
const atDigit = (certainty: number, pattern: string): Form => form(certainty, pattern, 'iuy');
const anywhere = (certainty: number, pattern: string): Form => form(certainty, pattern, 'giu');

const CURRENCY = `(?<!\\d ?)(?:[€$£]|${START}(?:eur|usd|chf|gbp))`;
const BEFORE_UNIT = `(?=[ -]?(?:${UNITS}))`;
const BEFORE_NOUN = `(?=[ -](?!${NO_NOUN})\\p{L}{3})`;

// Forms that begin with a digit, which are tried where a number begins.
const AT_DIGIT: readonly Form[] = [
  atDigit(0.95, `${DATE}(?:${TO}${DATE})?${LAST}`),
  atDigit(0.95, `${DAY}\\.${MONTH}\\.${TO}${DATE}${LAST}`),
  atDigit(0.9, `${START}${DAY}(?:st|nd|rd|th|er|º|\\.)? ?(?:of |de )?${MONTH_NAME}`),
  atDigit(0.92, `${FIRST}${TIME}(?:${TO}${TIME})?${LAST}`),
  atDigit(0.87, `${FIRST}${CLOCK}${TO}${CLOCK}${LAST}`),
  atDigit(0.92, `${FIRST}${YEAR} ?[-–/] ?(?:${YEAR}|\\d\\d)${LAST}`),
  atDigit(0.5, `${START}${YEAR}${END}`),
  atDigit(0.95, `${FIRST}${NUMBER}${BEFORE_UNIT}`),
  atDigit(0.83, `${FIRST}${RANGE}${BEFORE_UNIT}`),
  atDigit(0.72, `${FIRST}${NUMBER}${BEFORE_NOUN}`),
  atDigit(0.65, `${FIRST}${RANGE}${BEFORE_NOUN}`),
  atDigit(0.5, `${FIRST}${NUMBER}${END}`),
  atDigit(0.9, `${START}\\d{1,3}(?: ?h)? ?[/x] ?\\d{1,3}(?: ?h)?(?:[/x]\\d{1,3}){0,3}${LAST}|${START}401 ?\\(?k`),
  atDigit(0.9, `${START}\\d{1,3}[/x]\\d{1,3}${LAST}`),
  // Less certain than two numbers.
  atDigit(0.75, `${FIRST}${THOUSANDS}[.,]\\d{1,2}${LAST}`),
  atDigit(0.86, `${START}\\d(?:\\.\\d){2,5}${LAST}`),
  atDigit(0.6, `${FIRST}\\d{1,3}(?:\\.\\d{1,4}){2,3}${LAST}`),
];

// A UUID or a part of one, other numbers of machines, money, and the times of a day of the week.
const ANYWHERE: readonly Form[] = [
  anywhere(0.99, `${START}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}${END}`),
  anywhere(0.9, `${START}(?=[0-9-]{0,40}[a-f])(?=[a-f-]{0,40}\\d)[0-9a-f]{4,12}(?:-[0-9a-f]{4,12}){1,4}${END}`),
  anywhere(0.9, `(?:${START}0x|#)[0-9a-f]{3,16}${END}`),
  anywhere(0.95, `${CURRENCY} ?${NUMBER}${LAST}`),
  // A8, S3, EG 9, B2: a road, a train, a grade, a building.
  anywhere(0.8, `${START}(?-i:\\p{Lu}{1,3}) ?\\d{1,2}(?![\\p{L}\\p{N}]|[ -](?-i:\\p{Lu}|\\d))`),
  anywhere(0.92, `${START}(?:${WEEKDAYS})\\.? ${TIME}${LAST}`),
  // `April and June` may be two people.
  anywhere(
    0.9,
    `${START}${MONTH_NAME}(?: ?['’]\\d\\d| ?${YEAR}| ${DAY}(?:st|nd|rd|th)?(?! ?[\\p{L}\\d])|(?: ?[-–] ?| (?:to|bis|à|a|tot|t/m) )${MONTH_NAME})`,
  ),
  anywhere(0.9, `${START}(?:between|zwischen|entre|tussen) ${MONTH_NAME} (?:and|und|et|y|en) ${MONTH_NAME}`),
  anywhere(0.95, `${CURRENCY} ?\\d{1,6}(?:[.,]\\d{1,3})?${LAST}`),
  // Maximum, and a million, which are also first names.
  anywhere(0.9, 'max\\.(?= ?\\d)'),
  anywhere(0.9, "(?<=\\d ?)mio(?:\\.(?= \\p{L})|(?= ?(?:d['’])?(?:[€$]|eur|chf|usd|dollar|fran|stück|teile|kund)))"),
];

// More than a phone's that only a plan of numbers shows, and less than one with its trunk zero.
const NAMED_CERTAINTY = 0.89;
const MIN_NAMED = 0.75;
// Of two ways to read signs, the one that ends a number there is likelier than the one that joins
// two numbers.
const SIGN_COST = 0.2;
// The number of a thing may be followed by another number at any of its signs.
const NAMED_NUMBER = new RegExp(
  `${START}(?:(?-i:${STANDARD})|(?:${NAMED})(?:n|s|e|en)?(?:-?${NUMBER_WORD})?|§|numéro de série|número de serie)(?!\\p{L})\\.?(?: ?${NUMBER_WORD}(?!\\p{L})\\.?)?[ :]{0,2}(?:(?-i:\\p{Lu}){1,5}[- /]?)?(?<number>\\d+)(?<more>(?:[-./:( ]\\d{1,6}(?!\\d)){0,5})`,
  'giu',
);

const MONTH_FIRST = new RegExp(`^${MONTH_NAME}`, 'iu');

/** Whether a text begins with the name of a month. */
export const isMonth = (text: string): boolean => MONTH_FIRST.test(text);

/** Finds what may be such a number, in any order; ranges may overlap. Linear. */
export function findOtherNumbers(text: string): OtherNumber[] {
  const numbers: OtherNumber[] = [];
  for (const { index } of allMatches(text, /(?<!\d)\d/g)) {
    for (const { pattern, certainty } of AT_DIGIT) {
      pattern.lastIndex = index;
      if (pattern.test(text)) numbers.push({ start: index, end: pattern.lastIndex, certainty });
    }
  }
  for (const { pattern, certainty } of ANYWHERE)
    for (const { 0: value, index } of allMatches(text, pattern))
      numbers.push({ start: index, end: index + value.length, certainty });
  for (const { 0: value, index, groups } of allMatches(text, NAMED_NUMBER)) {
    const { number = '', more = '' } = groups ?? {};
    const first = index + value.length - more.length;
    numbers.push({ start: index, end: first, certainty: NAMED_CERTAINTY });
    let [signs, digits] = [0, number.length];
    for (const { 0: part, index: at } of more.matchAll(/\D\d+/g)) {
      signs++;
      digits += part.length - 1;
      numbers.push({ start: index, end: first + at + part.length, certainty: NAMED_CERTAINTY - (SIGN_COST * signs) / digits });
    }
  }
  return numbers;
}

/** Returns how certain it is at each offset of a text that it is in such a number. */
export function certaintiesOf(others: readonly OtherNumber[], { length }: string): Float32Array {
  const certainties = new Float32Array(length);
  for (const { start, end, certainty } of others)
    for (let at = start; at < end; at++) if (certainty > (certainties[at] ?? 0)) certainties[at] = certainty;
  return certainties;
}

/**
 * Checks whether nothing of a span is personal: another reading of an id is more certain, a name or
 * an address has only words of numbered things, as in `Hall 3, Gate 12`, or the numbers of what the
 * model takes for an address are other ones.
 */
export function isOtherNumber(text: string, span: Span, certainties: Float32Array): boolean {
  const least = span.category === 'id' ? span.confidence : MIN_NAMED;
  const isModels = span.category === 'address' && span.source === 'model';
  for (let at = span.start; at < span.end; at++) {
    const kind = KIND[text.charCodeAt(at)];
    if (kind !== OTHER && (kind === DIGIT || !isModels) && (certainties[at] ?? 0) <= least) return false;
  }
  return true;
}

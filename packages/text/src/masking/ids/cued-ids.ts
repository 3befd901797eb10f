import { allMatches } from '../all-matches.ts';
import type { Span } from '../masker.ts';

// Words that announce a personal number; employee numbers have no form of their own.
const CUE_WORDS = [
  'ni (?:number|no)|(?:employee|staff|personnel|payroll|badge|worker|clock|associate|crew|emp|passport|licen[cs]e|driver.?s licen[cs]e|tax|social security|ssn|insurance|national insurance|nino|nhs|identity|identification|member|membership|customer|account|policy|ticket|case)(?: ?(?:card|id|file|record))?(?: ?(?:numbers?|no|nr|num|#|id|code|reference|ref))?',
  '(?:pers|personal|mitarbeiter|stamm|ausweis|personalausweis|kunden|steuer|sozialversicherungs|rentenversicherungs|versicherungs|reisepass|pass|führerschein|dienst|konto)-?(?:nummer|nr|id|identifikationsnummer|nummern)|steuer-?id|personalausweis|reisepass|führerschein|ausweis',
  '(?:numéro|n°|no) (?:de |d.)(?:matricule|salarié|salariée|employé|employée|agent|badge|passeport|permis|sécurité sociale|sécu|client|compte|dossier)|matricule|badge|identifiant|passeport|permis de conduire|carte d.identité',
  '(?:número|num|n[º°o]) (?:de )?(?:empleado|empleada|trabajador|legajo|pasaporte|seguridad social|identificación|cliente|cuenta|carnet|licencia)|legajo|pasaporte|dni|nie|nif|cédula|carnet de conducir',
  '(?:personeels|medewerkers?|werknemers?|stam|klant|paspoort|rijbewijs|identiteits|burgerservice|rijksregister|badge|dienst|rekening)-?(?:nummer|nr)|bsn|paspoort|rijbewijs|badge',
  '(?:numero|n[°.o]) (?:di )?(?:matricola|dipendente|badge|cliente|passaporto|patente|conto|tessera)|matricola|codice fiscale|carta d.identità|passaporto|patente',
  '(?:numer|nr) (?:pracownika|pracowniczy|ewidencyjny|identyfikacyjny|służbowy|klienta|konta|paszportu|dowodu)|identyfikator|pesel|paszport|prawo jazdy|dowód osobisty',
  '(?:número|n[º°.o]) (?:de |do )?(?:funcionário|funcionária|empregado|trabalhador|matrícula|cliente|passaporte|contribuinte|conta|crachá)|matrícula|passaporte|crachá|cpf|cartão de cidadão',
  '(?:medarbejder|personale|ansættelses|løn|kunde|pas|konto|kørekort)-?(?:nummer|nr)|cpr(?:-?(?:nummer|nr))?|(?:anställnings|personal|medarbetar|kund|pass|konto|körkorts)-?(?:nummer|nr|id)|personnummer',
];

// Words that say whose a number is: they make the number of a ticket or a policy personal.
const OWNED =
  /(?<!\p{L})(?:my|his|her|their|your|insurance|mein\p{L}{0,2}|sein\p{L}{0,2}|ihr\p{L}{0,2}|mon|ma|son|sa|mi|su|mijn|zijn|haar|min|mitt|hans|hendes|meu|seu) (?:\p{L}{2,12} )?$/iu;
// Documents are numbered by year, policies and cases also by department with few digits, and
// accounts that costs are booked to have four.
const BY_YEAR = /(?:^|[-/.])(?:19|20)\d\d(?:[-/.]|$)/;
const BY_DEPARTMENT = /^\p{L}{2,}[-/.]\d{1,4}$/u;
const isThing = (found: string, value: string): boolean =>
  (/^(?:policy|case|licen[cs]e|ticket)/i.test(found) && BY_YEAR.test(value)) ||
  (/^(?:policy|case)/i.test(found) && BY_DEPARTMENT.test(value)) ||
  /^account \d{3,4}$/i.test(found);

// The cue, a few small words (is, ist, est, lautet :, #), and a token with at least three digits.
const CUED = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${CUE_WORDS.join('|')})(?![\\p{L}])(?:[\\s:#.,=("'\u2013-]{1,3}(?:is|was|ist|lautet|est|es|nummer|number|no|nr|num|n[°º]|id|the|die|le|la|el|il|o|mein|meine|my|with|mit|con|avec|met|van|de|è|to|jest|mój|é|er|är|mit|min|:){0,1}(?![\\p{L}])){0,3}[\\s:#=("'-]{0,3}((?:(?-i:\\p{Lu}){2} )?[\\p{L}]{0,6}[-/.]?\\d(?:[-/.]?[\\p{L}\\d]| \\d){2,19}(?: (?-i:\\p{Lu}))?)(?![\\p{L}\\p{N}])`,
  'giu',
);

// Words that also stand before other numbers: `staff 24/7`, `in our case 1200 orders`.
const WEAK =
  /^(?:employee|staff|personnel|payroll|worker|clock|associate|crew|emp|licen[cs]e|tax|insurance|national insurance|identity|identification|member|membership|customer|account|policy|ticket|case)[\s:,("']*$/i;
// The next one of a list of ids: 4711 and 4712; 4711, nicht auf 4712.
const NEXT =
  /^(?:,? (?:(?:and|or|und|oder|et|ou|y|o|e|en|of|but|sondern|sino|maar|mais) )?(?:(?:not|nicht|pas|no|niet) )?(?:(?:on|to|auf|sur|op) )?|[\s,;/&|+-]{1,3})([\p{L}\d](?:[-/.]?[\p{L}\d]){2,19})(?![\p{L}\p{N}])/u;

const HINT = /\d{2}/;
const FEWEST_DIGITS = 3;
const YEAR = /^(?:19|20)\d\d$/;
const DATE = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/;

/** Finds numbers that follow such a word: employee number 4711, matricule A-1234. */
export function findCuedIds(text: string): Span[] {
  if (!HINT.test(text)) return [];
  const spans: Span[] = [];
  for (const { 0: found, 1: token = '', index } of allMatches(text, CUED)) {
    let value = withoutWordsBehind(token);
    const isOwned = OWNED.test(text.slice(Math.max(0, index - 24), index));
    if (!isIdentifier(value) || (!isOwned && isThing(found, value))) continue;
    let start = index + found.length - token.length;
    // An owned number is more certain than one that only names a thing.
    const confidence = isOwned ? 0.9 : WEAK.test(text.slice(index, start)) ? 0.6 : 0.85;
    const shape = shapeOf(value);
    for (;;) {
      const end = start + value.length;
      spans.push({ start, end, category: 'id', source: 'id-cue', confidence });
      const [next, nextValue] = NEXT.exec(text.slice(end, end + 32)) ?? [];
      if (next === undefined || nextValue === undefined || shapeOf(nextValue) !== shape) break;
      value = nextValue;
      start = end + next.length - value.length;
    }
  }
  return spans;
}

const shapeOf = (value: string): string => value.replaceAll(/\d/g, '9').replaceAll(/\p{L}/gu, 'A');

// Cuts `and my` off `4711 and my`, and `/Hall 3` off `4711/Hall 3`: text after the last digit group
// stays, unless it is joined to it.
function withoutWordsBehind(value: string): string {
  return value.replace(/(?<=\d)[-/.]\p{L}{3,} \d.*$|[-/. ]+(?!\p{Lu}$)\p{L}[\p{L}. /-]*$/u, '').replace(/ (?:19|20)\d\d$/, '');
}

function isIdentifier(value: string): boolean {
  const digits = value.replaceAll(/\D/g, '').length;
  return digits >= FEWEST_DIGITS && !YEAR.test(value) && !DATE.test(value);
}

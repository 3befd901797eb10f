// Words that show the kind of the number after them. One pattern, so that the nearest word wins:
// "employee number, not my phone: 4711".

import { allMatches } from './all-matches.ts';

export type NumberCue = 'phone' | 'id' | 'card' | 'amount' | 'postcode';

const WINDOW_LENGTH = 48;

const CUES: readonly (readonly [cue: NumberCue, words: string])[] = [
  [
    'phone',
    'phone|answer\\p{L}{0,4}|tel|telephone|téléphone|teléfono|telefono|telefoon|telefon|mobile|mobiele?|móvil|movil|cell|cellphone|handy|fax|whats ?app|sms|call|ring|dial|reach|text|(?<!(?:budget|production|assembly|packing) )line|extension|ext|portable|appel\\p{L}{0,4}|joindre|joignable|llám\\p{L}{0,5}|llam\\p{L}{0,5}|bel|bellen|gsm|ruf|rufen|anrufen|rufnummer|erreich\\p{L}{0,5}|durchwahl|bereik\\p{L}{0,5}|nummer \\p{L}{2,9} handy|cellulare|telefonino|chiam\\p{L}{1,5}|komórk\\p{L}{0,3}|dzwoni\\p{L}{1,3}|zadzwo\\p{L}{1,4}|telemóvel|celular|ligue\\p{L}{0,2}|telefonnummer|mobilnummer|ringa|ringer',
  ],
  [
    'id',
    'ssn|social security|sécurité sociale|sécu|secu|seguridad social|sozialversicherungs?\\p{L}{0,9}|rentenversicherungs?\\p{L}{0,9}|svnr|sv-nummer|versicherungsnummer|passport|passeport|pasaporte|paspoort|reisepass|pass-?nr|licen[cs]e|führerschein\\p{L}{0,7}|permis|rijbewijs|employee|staff|personnel|payroll|badge|worker|clock|tax|steuer\\p{L}{0,3}|steuer-?id\\p{L}{0,20}|steuernummer|ausweis\\p{L}{0,7}|personalausweis|personal-?(?:nummer|nr)|mitarbeiter-?(?:nummer|nr|id)|stammnummer|kundennummer|matricule|carte d.identité|nir|dni|nie|nif|nss|empleado|legajo|bsn|burgerservicenummer|personeels?\\p{L}{0,8}|medewerkers?nummer|werknemers?nummer|rijksregister\\p{L}{0,7}|ahv\\p{L}{0,8}|avs|codice fiscale|matricola|pesel|pracownika|dowód osobisty|dowodu|matrícula|funcionário|contribuinte|cpf|cartão de cidadão|cpr\\p{L}{0,6}|medarbejdernummer|lønnummer|personnummer|anställningsnummer|anställningsid|nhs|nino|national insurance|national|identity|identification|identifiant|id|account|konto\\p{L}{0,7}|compte|cuenta|rekening\\p{L}{0,7}|member|customer|policy|ticket|case|ref|reference',
  ],
  [
    'card',
    'card|visa|mastercard|master|amex|credit|debit|karte|kreditkarte|carte bancaire|carte bleue|tarjeta|kaart|creditcard|cc',
  ],
  [
    'amount',
    '(?<!\\d ?)(?:€|\\$|£|eur|euros?|usd|chf|gbp)|salary|gehalt|salaire|salario|salaris|stipendio|pensja|salário|løn|lön|costs?|paid|pays?|budget|umsatz|lohn',
  ],
  ['postcode', 'zip|zip ?code|post ?code|postal code|plz|postleitzahl|code postal|código postal|cap|kod pocztowy|postnummer'],
];

const PATTERN = new RegExp(`(?<![\\p{L}\\p{N}])(?:${CUES.map(([, words]) => `(${words})`).join('|')})(?!\\p{L})`, 'giu');

/**
 * Returns the nearest cue in the few words before an offset. Whom to call and what an id is may be
 * said of several numbers, but an amount or a card is one.
 */
export function cueBefore(text: string, start: number, windowLength = WINDOW_LENGTH): NumberCue | undefined {
  const window = text.slice(Math.max(0, start - windowLength), start);
  let cue: NumberCue | undefined;
  for (const match of allMatches(window, PATTERN)) {
    // One of them matched.
    const kind = CUES.find((_, at) => match[at + 1] !== undefined)?.[0];
    const isOfSeveral = kind === 'phone' || kind === 'id';
    if (isOfSeveral || !/\d/.test(window.slice(match.index + match[0].length))) cue = kind;
  }
  return cue;
}

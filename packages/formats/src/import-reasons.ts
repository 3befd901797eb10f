import { percentNextTo } from './percent.ts';

/** Languages that mails and pages are written in. */
export type ReasonLanguage = 'en' | 'de';

/** Returns the language for a reader whose own language is `code`. */
export const reasonLanguage = (code: string | null | undefined): ReasonLanguage => (code === 'de' ? 'de' : 'en');

export type ImportReasonCode =
  | 'import_id_blank'
  | 'import_id_repeated'
  | 'deletion_threshold'
  | 'identity_threshold'
  | 'integration_disconnected'
  | 'attempts_failed'
  | 'process_ended'
  | 'service_faults'
  // Warnings about a snapshot as a whole.
  | 'identity_changed'
  | 'identity_swapped'
  | 'email_known_under_other_import_id'
  | 'leading_zeros_lost'
  | 'leading_zeros_added'
  | 'id_case_changed'
  | 'id_prefix_changed'
  | 'last_admin_lost';

/**
 * Why an import was cancelled or has failed, or a warning about it, as it is stored and sent: never
 * a sentence.
 */
export interface ImportReason {
  // An ImportReasonCode; later releases have more.
  readonly code: string;
  // Records or pairs of records, employees to offboard, attempts, or hours.
  readonly count?: number | null | undefined;
  // Managed employees, and the deletion threshold in percent as decimal text.
  readonly managed?: number | null | undefined;
  readonly threshold?: string | null | undefined;
  // Indexes of the first records in the snapshot; of repeated import_ids, one pair after another.
  readonly records: number[];
}

export function importReason(code: ImportReasonCode, parameters: Partial<Omit<ImportReason, 'code'>> = {}): ImportReason {
  return { code, records: [], ...parameters };
}

interface Figures {
  readonly count: string;
  readonly managed: string;
  readonly share: string;
  readonly threshold: string;
  readonly places: string;
  readonly pairs: string;
}

const RECORDS_EN = {
  role_unknown: 'The role must be Admin, Manager, Analyst, Report viewer or Respondee, in exactly this spelling',
  language_unknown: 'The language is not an ISO 639-1 code',
  year_malformed: 'Age Category and Seniority must be a year of four digits',
  attribute_repeated: 'The record lists an attribute twice',
  attributes_too_many: 'The employee would have more than 250,000 attribute values',
  email_blank: 'The e-mail address is empty',
  email_taken: 'The e-mail address belongs to another employee',
  email_unusual: 'The e-mail address looks unusual; it was taken as it is',
  email_known_under_other_import_id:
    'The address is known under another import_id, which is offboarded: an import_id must not change',
  value_looks_alike: 'A new value looks like another one of the attribute',
  grant_matches_nobody: 'No employee has the value that a grant names, so the grant gives no access',
  looks_like_age_category: 'The attribute looks like Age Category but has another name, so exact years are stored',
  looks_like_seniority: 'The attribute looks like Seniority but has another name, so exact years are stored',
  access_regained: 'The employee is back and has their role and grants again',
  identity_changed:
    'Name and address both differ from those of the employee with this import_id: somebody else would now have the access and the answers of that employee',
  identity_swapped: 'Name and address belonged to another employee until now',
  last_admin_lost: 'The account has no employee with the role Admin any more',
  erased: 'The employee was erased; only the operator can allow them to return',
  grant_dropped: 'A grant names an attribute or value that does not exist, and was dropped',
  supervisor_unknown: 'No employee has the import_id of the supervisor: the employee has no supervisor now',
  supervisor_is_self: 'An employee cannot report to themselves: the employee has no supervisor now',
  supervisor_cycle: 'The supervisors form a cycle',
  supervisor_offboarded: 'The supervisor is offboarded: the employee has no supervisor now',
};

/** Why a record was skipped, or what was noticed when it was applied. */
export type RecordReasonCode = keyof typeof RECORDS_EN;

/** Why a row of a map of import_ids is refused; a RekeyRefusal has it as its code. */
export type RekeyRefusalCode =
  | `${'key' | 'new_id'}_${'blank' | 'too_long' | 'repeated'}`
  | 'old_id_unknown'
  | 'email_unknown'
  | 'already_imported'
  | 'employee_changed'
  | 'new_id_taken'
  | 'new_id_erased'
  | 'created_via_invalid';

/** Warnings that a record may be about another person (rule IMPORT-LIFECYCLE-MAIL-3). */
export const IDENTITY_WARNINGS: readonly RecordReasonCode[] = [
  'identity_changed',
  'identity_swapped',
  'email_known_under_other_import_id',
  'last_admin_lost',
  'access_regained',
];

interface Wording {
  readonly and: string;
  readonly elsewhere: string;
  readonly more: (count: string) => string;
  readonly imports: Readonly<Record<ImportReasonCode, (figures: Figures) => string>>;
  readonly records: Readonly<Record<RecordReasonCode, string>>;
}

const WORDINGS: Readonly<Record<ReasonLanguage, Wording>> = {
  en: {
    and: 'and',
    elsewhere: 'managed elsewhere, not by imports',
    more: (count) => `and ${count} more`,
    imports: {
      import_id_blank: ({ count, places }) => `Records with an empty import_id: ${count} (${places})`,
      import_id_repeated: ({ pairs }) => `The same import_id appears twice: ${pairs}`,
      deletion_threshold: ({ count, managed, share, threshold }) =>
        `Offboarding ${count} of ${managed} managed employees is ${share}, above the threshold of ${threshold}`,
      identity_threshold: ({ count, managed, share, threshold }) =>
        `Of ${managed} managed employees, ${count} may be other people than before: ${share}, above the threshold of ${threshold}`,
      identity_changed: ({ count }) => `Known import_ids with another name and another address: ${count}`,
      identity_swapped: ({ count }) => `Known import_ids with the name and address of another employee: ${count}`,
      email_known_under_other_import_id: ({ count }) =>
        `Addresses of employees who would be offboarded under a new import_id: ${count}`,
      leading_zeros_lost: ({ count }) => `New ids that look like known ids without leading zeros: ${count}`,
      leading_zeros_added: ({ count }) => `New ids that look like known ids with leading zeros: ${count}`,
      id_case_changed: ({ count }) => `New ids that differ from known ids only in upper and lower case: ${count}`,
      id_prefix_changed: ({ count }) => `New ids that look like known ids with another prefix: ${count}`,
      last_admin_lost: () => 'The account has no employee with the role Admin any more',
      integration_disconnected: () => 'The REST API integration was disconnected before the import ran',
      attempts_failed: ({ count }) => `Given up after ${count} attempts`,
      process_ended: ({ count }) => `Given up after ${count} attempts that ended the process of the service`,
      service_faults: ({ count }) => `Given up after ${count} hours of faults of the service`,
    },
    records: RECORDS_EN,
  },
  de: {
    and: 'und',
    elsewhere: 'anderswo verwaltet, nicht durch Importe',
    more: (count) => `und ${count} weitere`,
    imports: {
      import_id_blank: ({ count, places }) => `Datensätze mit leerer import_id: ${count} (${places})`,
      import_id_repeated: ({ pairs }) => `Dieselbe import_id kommt zweimal vor: ${pairs}`,
      deletion_threshold: ({ count, managed, share, threshold }) =>
        `Nach dem Import wären ${count} von ${managed} verwalteten Beschäftigten ausgeschieden, das sind ${share} und mehr als die Löschschwelle von ${threshold}`,
      identity_threshold: ({ count, managed, share, threshold }) =>
        `Von ${managed} verwalteten Beschäftigten könnten ${count} andere Personen sein als bisher, das sind ${share} und mehr als die Schwelle von ${threshold}`,
      identity_changed: ({ count }) => `Bekannte import_ids mit anderem Namen und anderer Adresse: ${count}`,
      identity_swapped: ({ count }) => `Bekannte import_ids mit Namen und Adresse einer anderen Person: ${count}`,
      email_known_under_other_import_id: ({ count }) =>
        `Adressen von Personen, die ausscheiden würden, unter einer neuen import_id: ${count}`,
      leading_zeros_lost: ({ count }) => `Neue import_ids, die wie bekannte ohne führende Nullen aussehen: ${count}`,
      leading_zeros_added: ({ count }) => `Neue import_ids, die wie bekannte mit führenden Nullen aussehen: ${count}`,
      id_case_changed: ({ count }) =>
        `Neue import_ids, die sich von bekannten nur in der Groß- und Kleinschreibung unterscheiden: ${count}`,
      id_prefix_changed: ({ count }) => `Neue import_ids, die wie bekannte mit einem anderen Präfix aussehen: ${count}`,
      last_admin_lost: () => 'Niemand im Konto hat mehr die Rolle Admin',
      integration_disconnected: () => 'Die REST-API-Integration wurde getrennt, bevor der Import lief',
      attempts_failed: ({ count }) => `Aufgegeben nach ${count} Versuchen`,
      process_ended: ({ count }) => `Aufgegeben nach ${count} Versuchen, die den Prozess des Dienstes beendet haben`,
      service_faults: ({ count }) => `Aufgegeben nach ${count} Stunden mit Störungen des Dienstes`,
    },
    records: {
      role_unknown: 'Die Rolle muss Admin, Manager, Analyst, Report viewer oder Respondee sein, in genau dieser Schreibweise',
      language_unknown: 'Die Sprache ist kein Code nach ISO 639-1',
      year_malformed: 'Age Category und Seniority müssen vierstellige Jahreszahlen sein',
      attribute_repeated: 'Der Datensatz nennt ein Attribut doppelt',
      attributes_too_many: 'Die Person hätte mehr als 250.000 Attributwerte',
      email_blank: 'Die E-Mail-Adresse ist leer',
      email_taken: 'Die E-Mail-Adresse gehört einer anderen Person',
      email_unusual: 'Die E-Mail-Adresse sieht ungewöhnlich aus; sie wurde so übernommen',
      email_known_under_other_import_id:
        'Die Adresse ist unter einer anderen import_id bekannt, deren Person ausscheidet: Eine import_id darf sich nicht ändern',
      value_looks_alike: 'Ein neuer Wert sieht aus wie ein anderer Wert des Attributs',
      grant_matches_nobody: 'Niemand hat den Wert, den eine Berechtigung nennt; sie gewährt deshalb keinen Zugriff',
      looks_like_age_category:
        'Das Attribut sieht aus wie Age Category, heißt aber anders: Deshalb werden genaue Jahre gespeichert',
      looks_like_seniority: 'Das Attribut sieht aus wie Seniority, heißt aber anders: Deshalb werden genaue Jahre gespeichert',
      access_regained: 'Die Person ist zurück und hat wieder ihre Rolle und ihre Berechtigungen',
      identity_changed:
        'Name und Adresse weichen von der Person mit dieser import_id ab: Jemand anderes hätte nun deren Zugriff und Antworten',
      identity_swapped: 'Name und Adresse gehörten bisher einer anderen Person',
      last_admin_lost: 'Niemand im Konto hat mehr die Rolle Admin',
      erased: 'Die Person ist gelöscht; nur der Betreiber kann die Rückkehr erlauben',
      grant_dropped: 'Eine Berechtigung nennt ein Attribut oder einen Wert, den es nicht gibt; sie entfällt',
      supervisor_unknown: 'Niemand hat die import_id der Führungskraft: Die Person hat jetzt keine Führungskraft',
      supervisor_is_self: 'Niemand kann die eigene Führungskraft sein: Die Person hat jetzt keine Führungskraft',
      supervisor_cycle: 'Die Führungskräfte bilden einen Kreis',
      supervisor_offboarded: 'Die Führungskraft ist ausgeschieden: Die Person hat jetzt keine Führungskraft',
    },
  },
};

const LOCALES = { en: 'en-GB', de: 'de' } as const;

/** Renders why an import was cancelled or has failed. */
export function importReasonText(reason: ImportReason, language: ReasonLanguage, place = pointerOf): string {
  const { and, more, imports } = WORDINGS[language];
  const { code, count = 0, managed = 0, threshold = '0', records } = reason;
  if (!isKnown(code)) return code;
  const number = new Intl.NumberFormat(LOCALES[language]);
  const percent = new Intl.NumberFormat(LOCALES[language], { style: 'percent', maximumFractionDigits: 12 });
  const percentOf = (decimal: string): string => percent.format(Number(`${decimal}e-2`));
  const listed = (places: readonly string[]): string => {
    const rest = (count ?? 0) - places.length;
    return [places.join(', '), ...(rest > 0 ? [more(number.format(rest))] : [])].join(' ');
  };
  return imports[code]({
    count: number.format(count ?? 0),
    managed: number.format(managed ?? 0),
    share: percentOf(percentNextTo(threshold ?? '0', count ?? 0, managed ?? 0)),
    threshold: percentOf(threshold ?? '0'),
    places: listed(records.map(place)),
    pairs: listed(pairsOf(records).map((pair) => pair.map(place).join(` ${and} `))),
  });
}

/** Renders why a record was skipped or has a warning; a code of a later release as it is. */
export function recordReasonText(code: string, language: ReasonLanguage): string {
  const records: Readonly<Record<string, string>> = WORDINGS[language].records;
  return Object.hasOwn(records, code) ? (records[code] ?? code) : code;
}

/**
 * An issue of a record with what it is about, as it is read
 * (packages/postgres/src/import-issues.ts).
 */
interface RecordIssueText {
  readonly code: string;
  // import_id of the other employee.
  readonly import_id?: string | null | undefined;
  // Whether the other employee came in another way than by imports.
  readonly is_managed_elsewhere?: boolean | null | undefined;
  // The values of the attribute.
  readonly values?: readonly string[] | null | undefined;
}

/** Renders an issue with the other employee or the values that it is about. */
export function recordIssueText(issue: RecordIssueText, language: ReasonLanguage): string {
  const { code, import_id, is_managed_elsewhere, values } = issue;
  const about = [
    ...(typeof import_id === 'string' ? [`import_id ${import_id}`] : []),
    ...(is_managed_elsewhere === true ? [WORDINGS[language].elsewhere] : []),
    ...(values ?? []).map((value) => JSON.stringify(value)),
  ];
  const text = recordReasonText(code, language);
  return about.length === 0 ? text : `${text} (${about.join(', ')})`;
}

interface RecordReasons<Issue> {
  readonly reasons: readonly Issue[];
  readonly warnings: readonly Issue[];
}

/** Adds the English sentences to a record, for callers that show no other language. */
export function withDetails<Issue extends RecordIssueText, Row extends RecordReasons<Issue>>(record: Row & RecordReasons<Issue>) {
  const describe = (issue: Issue) => ({
    ...issue,
    is_managed_elsewhere: issue.is_managed_elsewhere ?? false,
    values: [...(issue.values ?? [])],
    detail: recordIssueText(issue, 'en'),
  });
  return { ...record, reasons: record.reasons.map(describe), warnings: record.warnings.map(describe) };
}

const isKnown = (code: string): code is ImportReasonCode => Object.hasOwn(WORDINGS.en.imports, code);

const pointerOf = (index: number): string => `/employees/${index}`;

function pairsOf(indexes: readonly number[]): (readonly number[])[] {
  return indexes.flatMap((_, at) => (at % 2 === 0 ? [indexes.slice(at, at + 2)] : []));
}

/**
 * Values of random snapshots, each with its expected meaning as a literal, so that the model shares
 * no code with the service.
 */

// Attribute named by each spelling (rules IMPORT-ATTRIBUTES-NAMES-1, IMPORT-ATTRIBUTES-NAMES-3,
// IMPORT-ATTRIBUTES-VALUES-1 and IMPORT-ATTRIBUTES-YEARS-1).
export const ATTRIBUTE_OF: Readonly<Record<string, string>> = {
  Dept: 'dept',
  ' dePT ': 'dept',
  '\u{a0}DEPT\u{3000}': 'dept',
  'Dept\u{200b}': 'dept\u{200b}',
  'Cost Center': 'cost center',
  'COST  Center': 'cost  center',
  'Caf\u{e9}': 'caf\u{e9}',
  'CAFE\u{301}': 'caf\u{e9}',
  'Age Category': 'age category',
  ' age CATEGORY': 'age category',
  Seniority: 'seniority',
  'Seniority level': 'seniority level',
  'Age\u{a0}-Category': 'age\u{a0}-category',
  SENİORİTY: 'seni\u{307}ori\u{307}ty',
};

// What looks like a derived attribute, by matched name (rule IMPORT-ATTRIBUTES-YEARS-5).
export const DERIVED_LIKE: Readonly<Record<string, string>> = {
  'age\u{a0}-category': 'looks_like_age_category',
  'seni\u{307}ori\u{307}ty': 'looks_like_seniority',
};

export const PLAIN_VALUES = ['Sales', 'sales', ' Sales', 'IT', '30-39', 'Malm\u{f6}', 'Malmo\u{308}'];
// What differs from the value as it is sent (rule IMPORT-ATTRIBUTES-VALUES-1).
const COMPOSED: Readonly<Record<string, string>> = { 'Malmo\u{308}': 'Malm\u{f6}' };
export const composed = (value: string): string => COMPOSED[value] ?? value;
// What people may take these values for (rule IMPORT-ATTRIBUTES-VALUES-5).
const LOOKS: Readonly<Record<string, string>> = { Sales: 'sales', ' Sales': 'sales' };
export const lookOfValue = (value: string): string => LOOKS[value] ?? value;
// Valid and invalid years (rule IMPORT-ATTRIBUTES-YEARS-3).
export const YEAR_VALUES = ['1990', '1996', '2006', '2007', '1966', '1967', '2022', '2030', '0000', '90', '19900', '１９９０'];

interface Address {
  readonly stored: string;
  // Equal keys mean the same address; undefined for none.
  readonly same: string | undefined;
  readonly isUnusual?: boolean;
}

export const ADDRESS_OF: Readonly<Record<string, Address>> = {
  'e1@x.io': { stored: 'e1@x.io', same: '1' },
  'E1@X.io': { stored: 'E1@X.io', same: '1' },
  ' e1@x.io\t': { stored: 'e1@x.io', same: '1' },
  'e2@x.io': { stored: 'e2@x.io', same: '2' },
  'E2@x.io': { stored: 'E2@x.io', same: '2' },
  'e3@x.io': { stored: 'e3@x.io', same: '3' },
  'e4@x.io': { stored: 'e4@x.io', same: '4' },
  'e5@x.io': { stored: 'e5@x.io', same: '5' },
  'p1@x.io': { stored: 'p1@x.io', same: 'p1' },
  'p2@x.io': { stored: 'p2@x.io', same: 'p2' },
  'p3@x.io': { stored: 'p3@x.io', same: 'p3' },
  // Equal by simple case folding (rule IMPORT-EMAILS-1).
  'ΑΣ@x.io': { stored: 'ΑΣ@x.io', same: 'sigma' },
  'ας@x.io': { stored: 'ας@x.io', same: 'sigma' },
  'a+b@x.io': { stored: 'a+b@x.io', same: 'plus' },
  // The domain counts in its ASCII form, format characters do not count.
  'rosa@bücher.example': { stored: 'rosa@bücher.example', same: 'rosa' },
  'rosa@XN--bcher-kva.example': { stored: 'rosa@XN--bcher-kva.example', same: 'rosa' },
  'e1\u{200b}@x.io': { stored: 'e1\u{200b}@x.io', same: '1', isUnusual: true },
  'mailto:e2@x.io': { stored: 'mailto:e2@x.io', same: 'mailto', isUnusual: true },
  'not-an-email': { stored: 'not-an-email', same: 'none', isUnusual: true },
  '': { stored: '', same: undefined },
  '  ': { stored: '', same: undefined },
  '\u{200b}': { stored: '', same: undefined },
};

// Undefined: rejected (rule IMPORT-VALUES-5).
export const LANGUAGE_OF: Readonly<Record<string, string | undefined>> = {
  en: 'en',
  EN: 'en',
  de: 'de',
  Fr: 'fr',
  xx: undefined,
  deu: undefined,
  iw: undefined,
  '': undefined,
};

export const ROLES = ['Admin', 'Manager', 'Analyst', 'Report viewer', 'Respondee'];
export const REJECTED_ROLES = ['Employee', 'admin', 'Report Viewer', ''];

// 'E1 ' and 'e1' are different employees (rule IMPORT-IDENTITY-1).
export const IMPORT_IDS = ['E1', 'E2', 'E3', 'E4', 'E5', 'E1 ', 'e1'];
export const BLANK_IMPORT_IDS = ['', '  ', '\u{a0}\t', '\u{200b}\u{ad}'];

const AGES: readonly (readonly [below: number, label: string])[] = [
  [20, '< 20'],
  [30, '20-29'],
  [40, '30-39'],
  [50, '40-49'],
  [60, '50-59'],
  [Infinity, '60+'],
];

const SENIORITIES: typeof AGES = [
  [5, '< 5'],
  [10, '05-09'],
  [15, '10-14'],
  [20, '15-19'],
  [25, '20-24'],
  [30, '25-29'],
  [35, '30-34'],
  [40, '35-39'],
  [45, '40-44'],
  [Infinity, '45+'],
];

/**
 * Returns the stored value, or undefined when it is rejected (rules IMPORT-ATTRIBUTES-YEARS-1,
 * IMPORT-ATTRIBUTES-YEARS-2 and IMPORT-ATTRIBUTES-YEARS-3).
 */
export function storedValue(attribute: string, value: string, year: number): string | undefined {
  if (attribute !== 'age category' && attribute !== 'seniority') return composed(value);
  const digits = Array.from(value);
  if (digits.length !== 4 || digits.some((digit) => !'0123456789'.includes(digit))) return undefined;
  const labels = attribute === 'age category' ? AGES : SENIORITIES;
  return labels.find(([below]) => year - Number(value) < below)?.[1];
}

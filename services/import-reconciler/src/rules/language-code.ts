import ISO6391 from 'iso-639-1';

// The 183 codes in force, without the withdrawn ones (iw, in, ji, mo, sh, bh).
const CODES: ReadonlySet<string> = new Set(ISO6391.getAllCodes());

/**
 * Returns the ISO 639-1 code in lower case; undefined for other values, whose employees are skipped
 * (docs/rules/import-lifecycle.md; rule IMPORT-VALUES-5). Region suffixes and three-letter codes
 * are rejected.
 */
export function languageCode(value: string): string | undefined {
  // ASCII only: U+212A (the Kelvin sign) would otherwise become a k.
  if (/[^A-Za-z]/.test(value)) return undefined;
  const code = value.toLowerCase();
  return CODES.has(code) ? code : undefined;
}

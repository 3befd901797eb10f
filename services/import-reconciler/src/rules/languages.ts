import ISO6391 from 'iso-639-1';

// The 183 codes in force: withdrawn ones (iw, in, ji, mo, sh, bh) are not among them.
const CODES: ReadonlySet<string> = new Set(ISO6391.getAllCodes());

/**
 * The ISO 639-1 code in lower case, or undefined when the value is none: the employee is then skipped (docs/rules/import-lifecycle.md; rule IMPORT-VALUES-5). Region suffixes and three-letter codes are refused.
 */
export function languageCode(value: string): string | undefined {
  // Only ASCII letters are folded: U+212A (the Kelvin sign) would otherwise pass for a k.
  if (!/^[A-Za-z]{2}$/.test(value)) return undefined;
  const code = value.toLowerCase();
  return CODES.has(code) ? code : undefined;
}

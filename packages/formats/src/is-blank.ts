const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/**
 * Returns whether a text has nothing but white space, controls and format characters (rule
 * IMPORT-REQUEST-TEXTS-2). Unlike trim, this includes zero-width characters.
 */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

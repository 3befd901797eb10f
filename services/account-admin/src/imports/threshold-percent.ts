// The range of numeric(7, 4). Kept as text, because 12.5 need not be exact as a float (rule
// IMPORT-THRESHOLD-2).
const PERCENT = /^(?:100(?:\.0{1,4})?|(?:0|[1-9][0-9]?)(?:\.[0-9]{1,4})?)$/;

/**
 * Returns whether a text is a deletion threshold: a percentage from 0 to 100 with up to four
 * decimals, such as 20 or 12.5.
 */
export function isDeletionThreshold(text: string): boolean {
  return PERCENT.test(text);
}

// As numeric(7, 4) holds it. Text all the way: 12.5 is exact in PostgreSQL and need not be in a float (rule IMPORT-THRESHOLD-2).
const PERCENT = /^(?:100(?:\.0{1,4})?|(?:0|[1-9][0-9]?)(?:\.[0-9]{1,4})?)$/;

/** Whether a text is a deletion threshold: a percentage from 0 to 100 with up to four decimals, such as 20 or 12.5. */
export function isDeletionThreshold(text: string): boolean {
  return PERCENT.test(text);
}

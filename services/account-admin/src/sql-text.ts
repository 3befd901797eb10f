/** Builds SQL that formats a timestamptz as RFC 3339 text in UTC, to the microsecond. */
export const utc = (timestamp: string): string => `to_char(${timestamp} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Escapes a text as part of a LIKE pattern; null for an empty text. */
export function searchPattern(search: string): string | null {
  const text = search.trim().slice(0, 200);
  return text === '' ? null : text.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll('\u0000', '');
}

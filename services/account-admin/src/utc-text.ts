/** Builds SQL that formats a timestamptz as RFC 3339 text in UTC, to the microsecond. */
export const utc = (timestamp: string): string => `to_char(${timestamp} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

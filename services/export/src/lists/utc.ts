/**
 * Builds SQL that formats a timestamptz as RFC 3339 in UTC, with as many digits as its microseconds
 * need, such as 2024-01-31T22:00:00Z or 2024-01-31T22:00:00.5Z. Null is null.
 */
// JSON is ISO 8601 under any DateStyle, unlike a cast to text, and twice as fast as to_char.
export const utc = (timestamp: string): string => `(to_json(${timestamp} at time zone 'utc') #>> '{}') || 'Z'`;

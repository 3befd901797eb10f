/**
 * SQL for a timestamptz as the API gives times: RFC 3339 in UTC, with as many digits as the microseconds need, such as
 * 2024-01-31T22:00:00Z or 2024-01-31T22:00:00.5Z. What was stated to the microsecond comes back unchanged. Null stays null.
 */
// By way of JSON, which unlike a cast to text is ISO 8601 whatever the server's DateStyle, and takes half the time of to_char.
export const utc = (timestamp: string): string => `(to_json(${timestamp} at time zone 'utc') #>> '{}') || 'Z'`;

/** The same as a JSON string that still lacks its Z, for lists of a million: reading the JSON again, and adding to it, takes longer than making it. */
export const utcJson = (timestamp: string): string => `to_json(${timestamp} at time zone 'utc')::text`;

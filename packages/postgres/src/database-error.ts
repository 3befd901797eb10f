/** No connection was free in time, or the server is unavailable: the caller may retry. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** A statement returned more than its transaction allows, so the connection was closed. */
export class ResultTooLargeError extends Error {
  override readonly name = 'ResultTooLargeError';
}

/** SQLSTATE of a write on a standby. */
export const READ_ONLY_TRANSACTION = '25006';
/** SQLSTATE of a lock timeout. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** SQLSTATE of a statement that exceeds its time limit. */
const QUERY_CANCELED = '57014';
const UNAVAILABLE_CODES = new Set(
  `ECONNREFUSED ECONNRESET ETIMEDOUT EPIPE 57P01 57P02 57P03 53300 ${QUERY_CANCELED} 08006 08001 ${READ_ONLY_TRANSACTION}`.split(
    ' ',
  ),
);

/** Returns a DatabaseUnavailableError in place of an error of an unavailable server. */
export function asUnavailable(error: unknown): unknown {
  const code = sqlState(error);
  if (code === undefined || !UNAVAILABLE_CODES.has(code)) return error;
  const message =
    code === QUERY_CANCELED
      ? 'the server canceled the statement, usually because it took too long'
      : 'the database connection was lost';
  return new DatabaseUnavailableError(message, { cause: error });
}

/**
 * Returns whether a statement exceeded its time limit. A reader may simply retry. A writer of many
 * rows has to write fewer at once, because the same rows would take as long again.
 */
export function isStatementTimeout(error: unknown): boolean {
  return sqlState(error instanceof DatabaseUnavailableError ? error.cause : error) === QUERY_CANCELED;
}

/**
 * Returns the SQLSTATE (or system error code) of a PostgreSQL error, such as 23505 for a unique
 * violation.
 */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

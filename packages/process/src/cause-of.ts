const CAUSES = 5;

/**
 * Says why something failed in one line without credentials: the messages of an error and its
 * causes, each with its code, such as `password authentication failed for user "survey" (28P01)`.
 */
export function causeOf(error: unknown): string {
  const parts = new Set(errorsIn(error).map(partOf));
  parts.delete('');
  return [...parts].join(': ') || 'no reason given';
}

/** Returns the code of an error, or of the first of its causes that has one. */
export function codeOf(error: unknown): string | undefined {
  return errorsIn(error)
    .map(ownCode)
    .find((code) => code !== undefined);
}

function errorsIn(error: unknown, depth = 1): readonly unknown[] {
  if (error === undefined || depth > CAUSES) return [];
  if (!(error instanceof Error)) return [error];
  // If each address of a host name failed, the first failure tells the reason.
  const below: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return [error, ...errorsIn(below, depth + 1)];
}

function partOf(error: unknown): string {
  if (!(error instanceof Error)) return withoutCredentials(String(error));
  const message = withoutCredentials(error.message);
  const code = ownCode(error);
  if (message === '' || code === undefined || message.includes(code)) return message;
  return `${message} (${code})`;
}

function ownCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? String(error.code) : undefined;
}

/**
 * Removes user and password of a URL, and the arguments that Redis repeats of a command it does not
 * know.
 */
export function withoutCredentials(message: string): string {
  return message.replaceAll(/\/\/[^\s/]*@/g, '//').replaceAll(/[,;]? with args beginning with:.*/g, '');
}

export const EXIT = { done: 0, failed: 1, usage: 2, importCancelled: 3, importFailed: 4 } as const;

/** A failure whose message is sufficient without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Returns the text to print and the exit code. Stacks and causes are included only on request. */
export function describeError(error: unknown, withStacks: boolean): { message: string; exitCode: number } {
  const exitCode = error instanceof CommandError ? error.exitCode : EXIT.failed;
  if (withStacks) return { message: stacksOf(error), exitCode };
  // By name, because its module loads gRPC.
  const isApplicationError = error instanceof Error && error.name === 'ApplicationError';
  if (error instanceof CommandError || isApplicationError) return { message: error.message, exitCode };
  const message = error instanceof Error ? error.message : String(error);
  return { message: `${message} (a defect of surveyctl: SURVEYCTL_DEBUG=1 shows where)`, exitCode };
}

function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${stacksOf(error.cause)}`;
}

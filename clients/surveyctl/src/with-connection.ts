import type { Command } from 'commander';
import type { AccountAdmin } from './connection.ts';
import type { ConnectionOptions } from './find-account-admin.ts';

/**
 * Creates the action of a command that calls account-admin. `A` is what commander passes:
 * arguments, then options, parsed and checked by the command's declaration. Commander also appends
 * the command itself, which is not used here.
 */
export function withConnection<A extends readonly unknown[]>(
  work: (admin: AccountAdmin, command: Command, ...args: A) => Promise<void>,
): (this: Command, ...args: A) => Promise<void> {
  return async function (this: Command, ...args) {
    const options = this.optsWithGlobals<ConnectionOptions>();
    // Loaded on demand: gRPC takes a moment, which --help and completion do not need.
    const { withAccountAdmin } = await import('./connection.ts');
    await withAccountAdmin(options, (admin) => work(admin, this, ...args));
  };
}

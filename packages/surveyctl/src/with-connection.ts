import type { Command } from 'commander';
import { withAccountAdmin, type AccountAdmin } from './connection.ts';

/**
 * Creates the action of a command that calls account-admin. `A` is what commander passes:
 * arguments, then options, parsed and checked by the command's declaration. Commander also appends
 * the command itself, which is not used here.
 */
export function withConnection<A extends readonly unknown[]>(
  work: (admin: AccountAdmin, command: Command, ...args: A) => Promise<void>,
): (this: Command, ...args: A) => Promise<void> {
  return function (this: Command, ...args) {
    const { address } = this.optsWithGlobals<{ address?: string }>();
    return withAccountAdmin(address, (admin) => work(admin, this, ...args));
  };
}

import type { Command } from 'commander';
import { withAccountAdmin, type AccountAdmin } from './connection.ts';

/**
 * The action of a command that talks to account-admin. `A` is what commander passes on: the
 * arguments, then the options, as the command declares them; commander checks and parses them by
 * that declaration before it calls, and adds the command itself, which nobody here needs.
 */
export function withConnection<A extends readonly unknown[]>(
  work: (admin: AccountAdmin, command: Command, ...args: A) => Promise<void>,
): (this: Command, ...args: A) => Promise<void> {
  return function (this: Command, ...args) {
    const { address } = this.optsWithGlobals<{ address?: string }>();
    return withAccountAdmin(address, (admin) => work(admin, this, ...args));
  };
}

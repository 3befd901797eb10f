import type { Command } from 'commander';
import { accountOption, parsePositive } from '../arguments.ts';
import { print, renderTable } from '../output.ts';
import { withConnection } from '../with-connection.ts';

const DEFERRED_HELP = `
A fact is deferred while it refers to something that does not exist yet, such as an answer to an unknown question. It is applied as
soon as that arrives. Counts that stay the same for hours mean that the application has not published what they refer to.

Example:
  $ npx surveyctl facts deferred --account 1`;

const DEAD_LETTERS_HELP = `
A dead letter is a fact that a service rejected, for the reason that is shown. It does not come back: correct the cause and publish
the fact again. The source is the name of a load in the fact batches that the application publishes; many have none.

Examples:
  $ npx surveyctl facts dead-letters --account 1 --source nightly-2026-11-01
  $ npx surveyctl facts dead-letters --account 1 --json`;

/** Adds `facts deferred` and `facts dead-letters`, the facts that were not applied, and why. */
export function addFactsNotApplied(facts: Command): void {
  facts
    .command('deferred')
    .description('count the facts of an account that wait for what they refer to, by service and kind')
    .addOption(accountOption())
    .addHelpText('after', DEFERRED_HELP)
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account: account_id }) => {
        const { waiting } = await admin.countDeferredFacts({ account_id });
        print(command, { deferred: waiting }, () =>
          renderTable(
            ['SERVICE', 'KIND', 'FACTS'],
            waiting.map(({ service, kind, facts }) => [service, kind, String(facts)]),
          ),
        );
      }),
    );
  facts
    .command('dead-letters')
    .description('list the facts of an account that a service rejected, with the reasons')
    .addOption(accountOption())
    .option('--source <name>', 'name of the load that the facts belong to (default: facts of no load)', '')
    .option('--limit <n>', 'maximum number of facts, up to 10000', parsePositive, 100)
    .addHelpText('after', DEAD_LETTERS_HELP)
    .action(
      withConnection<[{ account: number; source: string; limit: number }]>(async (admin, command, options) => {
        const { account: account_id, source, limit } = options;
        const { dead_letters, total } = await admin.listDeadLetters({ account_id, source, limit });
        print(command, { total, dead_letters }, () =>
          renderTable(
            ['LINE', 'SERVICE', 'KIND', 'REASON'],
            dead_letters.map(({ line, rejected_by, kind, reason }) => [String(line), rejected_by, kind, reason]),
          ),
        );
      }),
    );
}

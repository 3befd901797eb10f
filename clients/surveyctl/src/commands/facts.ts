import { factReasonText } from '@survey/bus/lines/reasons.ts';
import type { Command } from 'commander';
import { findNatsUrl } from '../address.ts';
import { accountOption, parsePositive, parseTime } from '../arguments.ts';
import { CommandError } from '../command-error.ts';
import { print, renderTable } from '../output.ts';
import { withConnection } from '../with-connection.ts';

const EXAMPLE = `
After a failover or restore that lost commits, the facts of these commits are still on NATS, for 3 days. Give a time before the first
lost commit. Every service receives the facts since then again, before newer ones; known facts change nothing. The command can be repeated.
Only the NATS user \`prepare\` may do this, because it can read every fact: give its URL.

Example:
  $ npx surveyctl facts replay --since 2026-05-04T10:00:00Z --nats nats://prepare:$PASSWORD@nats:4222`;

const POSITIONS_HELP = `
If NATS has lost facts, the application must publish again what it published in between. Without a first time, that is everything;
without a last one, nothing is lost.

Example:
  $ npx surveyctl facts positions`;

interface ReplayOptions {
  since: string;
  nats?: string;
}

export function addFactsCommands(program: Command): void {
  const facts = program.command('facts').description('show facts that were not applied, and deliver facts on NATS again');
  addReplay(facts);
  addPositions(facts);
  addFactsNotApplied(facts);
}

function addPositions(facts: Command): void {
  facts
    .command('positions')
    .description('show until when each service has applied the facts of each kind')
    .addHelpText('after', POSITIONS_HELP)
    .action(
      withConnection(async (admin, command) => {
        const { positions } = await admin.listFactPositions({});
        print(command, { positions }, () =>
          renderTable(
            ['CONSUMER', 'APPLIED UP TO', 'LOST FROM', 'LOST UNTIL'],
            positions.map(({ consumer, applied_up_to, lost_from, lost_until }) => [
              consumer,
              applied_up_to,
              lost_from,
              lost_until,
            ]),
          ),
        );
      }),
    );
}

function addReplay(facts: Command): void {
  facts
    .command('replay')
    .description('deliver the facts since a time to all services again')
    .requiredOption('--since <time>', 'time before the first lost commit, in RFC 3339, or its date in UTC', parseTime)
    .option('--nats <url>', 'URL of NATS (default: NATS_URL, else .local/stack.json)')
    .addHelpText('after', EXAMPLE)
    .action(async ({ since, nats }: ReplayOptions, command: Command) => {
      const natsUrl = await findNatsUrl({ option: nats, environment: process.env['NATS_URL'], folder: process.cwd() });
      // Loaded on demand: the bus takes a moment.
      const { connectTool } = await import('@survey/bus/tool-connection.ts');
      const { replayFacts } = await import('@survey/bus/position.ts');
      try {
        await using tool = await connectTool(natsUrl, 'surveyctl');
        const consumers = await replayFacts(tool.bus, since);
        print(command, { consumers }, () =>
          renderTable(
            ['CONSUMER', 'MESSAGES'],
            consumers.map(({ consumer, messages }) => [consumer, String(messages)]),
          ),
        );
      } catch (error) {
        throw new CommandError(
          'cannot replay facts: NATS does not respond, or the URL does not name its user `prepare`; correct --nats, then repeat',
          undefined,
          {
            cause: error,
          },
        );
      }
    });
}

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
function addFactsNotApplied(facts: Command): void {
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
        const described = dead_letters.map((one) => ({ ...one, code: one.reason, reason: factReasonText(one.reason) }));
        print(command, { total, dead_letters: described }, () =>
          renderTable(
            ['LINE', 'SERVICE', 'KIND', 'REASON'],
            described.map(({ line, rejected_by, kind, reason }) => [String(line), rejected_by, kind, reason]),
          ),
        );
      }),
    );
}

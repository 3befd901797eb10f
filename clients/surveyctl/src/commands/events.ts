import type { Command } from 'commander';
import { parseTime } from '../arguments.ts';
import { print } from '../output.ts';
import { withConnection } from '../with-connection.ts';

const HELP = `
For an EVENTS stream that was lost or restored from an older copy. Services keep their events for a day. They keep their ids,
so consumers recognise those that they already have.

Example:
  $ npx surveyctl events replay --since 2026-05-04T10:00:00Z`;

export function addEventsCommands(program: Command): void {
  program
    .command('events')
    .description('publish events again')
    .command('replay')
    .description('publish the events again that services have published since a time')
    .requiredOption('--since <time>', 'time before the first lost event, in RFC 3339, or its date in UTC', parseTime)
    .addHelpText('after', HELP)
    .action(
      withConnection<[{ since: string }]>(async (admin, command, { since }) => {
        const { events } = await admin.replayEvents({ since });
        print(command, { events }, () => `${events} events are being published again`);
      }),
    );
}

import { parseTime } from '../arguments.ts';
import { command, group, required } from '../command.ts';

const HELP = `
For an EVENTS stream that was lost or restored from an older copy. Services keep their events for a day. They keep their ids,
so consumers recognise those that they already have.

Example:
  $ npx surveyctl events replay --since 2026-05-04T10:00:00Z`;

const replay = command('replay', {
  about: 'publish the events again that services have published since a time',
  help: HELP,
  inputs: {
    since: required('--since <time>', 'time before the first lost event, in RFC 3339, or its date in UTC', parseTime),
  },
  run: async (admin, request) => {
    const { events } = await admin.replayEvents(request);
    return { json: { events }, text: () => `${events} events are being published again` };
  },
});

export const events = group('events', 'publish events again', [replay]);

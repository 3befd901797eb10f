import { factReasonText } from '@survey/bus/lines/reasons.ts';
import { InvalidArgumentError } from 'commander';
import { findNatsUrl } from '../address.ts';
import { ACCOUNT, parsePositive, parseTime } from '../arguments.ts';
import { command, group, localCommand, optional, required, withDefault } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { renderTable } from '../output.ts';

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

// NATS takes a time after 2262 for one before its first message.
function parsePast(text: string): string {
  const time = parseTime(text);
  if (Date.parse(time) > Date.now()) throw new InvalidArgumentError('It must not be in the future.');
  return time;
}

const replay = localCommand('replay', {
  about: 'deliver the facts since a time to all services again',
  help: EXAMPLE,
  inputs: {
    since: required('--since <time>', 'time before the first lost commit, in RFC 3339, or its date in UTC', parsePast),
    nats: optional('--nats <url>', 'URL of NATS (default: NATS_URL, else .local/stack.json)'),
  },
  run: async ({ since, nats }) => {
    const natsUrl = await findNatsUrl({ option: nats, environment: process.env['NATS_URL'], folder: process.cwd() });
    // Loaded on demand: the bus takes a moment.
    const { connectTool } = await import('@survey/bus/connection.ts');
    const { replayFacts } = await import('@survey/bus/position.ts');
    try {
      await using tool = await connectTool(natsUrl, 'surveyctl');
      const consumers = await replayFacts(tool.bus, since);
      const rows = consumers.map(({ consumer, messages }) => [consumer, String(messages)]);
      return { json: { consumers }, text: () => renderTable(['CONSUMER', 'MESSAGES'], rows) };
    } catch (error) {
      const fault = 'NATS does not respond, or the URL does not name its user `prepare`; correct --nats, then repeat';
      throw new CommandError(`cannot replay facts: ${fault}`, undefined, { cause: error });
    }
  },
});

const positions = command('positions', {
  about: 'show until when each service has applied the facts of each kind',
  help: POSITIONS_HELP,
  run: async (admin) => {
    const { positions } = await admin.listFactPositions({});
    const rows = positions.map((one) => [one.consumer, one.applied_up_to, one.lost_from, one.lost_until]);
    return { json: { positions }, text: () => renderTable(['CONSUMER', 'APPLIED UP TO', 'LOST FROM', 'LOST UNTIL'], rows) };
  },
});

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

const deferred = command('deferred', {
  about: 'count the facts of an account that wait for what they refer to, by service and kind',
  help: DEFERRED_HELP,
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => {
    const { waiting } = await admin.countDeferredFacts(account);
    const rows = waiting.map(({ service, kind, facts }) => [service, kind, String(facts)]);
    return { json: { deferred: waiting }, text: () => renderTable(['SERVICE', 'KIND', 'FACTS'], rows) };
  },
});

const deadLetters = command('dead-letters', {
  about: 'list the facts of an account that a service rejected, with the reasons',
  help: DEAD_LETTERS_HELP,
  inputs: {
    account_id: ACCOUNT,
    source: withDefault('--source <name>', 'name of the load that the facts belong to (default: facts of no load)', ''),
    limit: withDefault('--limit <n>', 'maximum number of facts, up to 10000', 100, parsePositive),
  },
  run: async (admin, request) => {
    const { dead_letters, total } = await admin.listDeadLetters(request);
    const described = dead_letters.map((one) => ({ ...one, code: one.reason, reason: factReasonText(one.reason) }));
    const rows = described.map(({ line, rejected_by, kind, reason }) => [String(line), rejected_by, kind, reason]);
    return { json: { total, dead_letters: described }, text: () => renderTable(['LINE', 'SERVICE', 'KIND', 'REASON'], rows) };
  },
});

export const facts = group('facts', 'show facts that were not applied, and deliver facts on NATS again', [
  replay,
  positions,
  deferred,
  deadLetters,
]);

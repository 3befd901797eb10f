import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { DeliverPolicy, jetstream, type JsMsg } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { EVENTS, isEventSubject } from '@survey/bus/events.ts';
import type { EmployeeEvent, ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';

const USAGE = `Prints a line for each event of an account: those that the stream still has, then what comes.

  node docs/examples/consume-events.ts --account 1 [--from-sequence N]

--from-sequence is a position in the stream, the first column. The bus is NATS_URL, else what \`npm start\` wrote into .local/stack.json.`;

const COLUMNS = [8, 27, 20, 26, 8] as const;

type Payload = ReturnType<(typeof EVENTS)[keyof typeof EVENTS]['decode']>;

const { account, fromSequence } = readArguments();
const bus = await connect({ servers: await natsUrl(), name: 'example-consume-events', timeout: 5_000 });
process.once('SIGINT', () => void bus.close());
process.once('SIGTERM', () => void bus.close());

// An ordered consumer leaves nothing behind on the server and acknowledges nothing: right for replays. A service that must miss nothing takes a
// durable one and acknowledges (docs/events.md).
const consumer = await jetstream(bus).consumers.get('EVENTS', {
  filter_subjects: 'events.>',
  ...(fromSequence === undefined
    ? { deliver_policy: DeliverPolicy.All }
    : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: fromSequence }),
});
print('position', 'time', 'source', 'event', 'sequence', 'what');
// A service keeps them where it keeps what it does with events, in the same transaction.
const seen = new Set<string>();
for await (const message of await consumer.consume()) {
  const id = message.headers?.get('ce-id') ?? '';
  if (message.headers?.get('ce-subject') !== String(account) || seen.has(id)) continue;
  seen.add(id);
  printEvent(message);
}

function printEvent({ seq, subject, headers, data }: JsMsg): void {
  const source = headers?.get('ce-source').replace('/survey/', '') ?? '';
  // An event that is newer than this program: not ours to stop at.
  const what = isEventSubject(subject) ? describe(EVENTS[subject].decode(data)) : 'unknown here';
  const type = headers?.get('ce-type').replace('survey.', '') ?? '';
  print(String(seq), headers?.get('ce-time') ?? '', source, type, headers?.get('ce-sequence') ?? '', what);
}

function describe(payload: Payload): string {
  if ('employees' in payload) return describeEmployees(payload);
  if ('counts' in payload) return describeImport(payload);
  if ('key_id' in payload) return `key ${payload.key_id}`;
  if ('topic_id' in payload) return `topic ${payload.topic_id}`;
  if ('answers' in payload) return `${payload.answers} answers`;
  return 'version' in payload ? `version ${String(payload.version)}` : '';
}

function describeEmployees({ import_uuid, employees }: EmployeeEvent): string {
  const fields = [...new Set(employees.flatMap(({ changed_fields }) => changed_fields))].join(', ');
  const people = employees.length === 1 ? `employee ${employees[0]?.id}` : `${employees.length} employees`;
  return `import ${import_uuid}: ${people}${fields === '' ? '' : ` (${fields})`}`;
}

function describeImport({ import_uuid, counts }: ImportEvent): string {
  const told = Object.entries(counts ?? {}).filter(([, count]) => count > 0);
  return `import ${import_uuid}${told.length === 0 ? '' : `: ${told.map(([name, count]) => `${count} ${name}`).join(', ')}`}`;
}

function print(...cells: readonly string[]): void {
  console.log(cells.map((cell, column) => cell.padEnd(COLUMNS[column] ?? 0)).join('  '));
}

function readArguments(): { account: number; fromSequence: number | undefined } {
  const { values } = parseArgs({ options: { account: { type: 'string' }, 'from-sequence': { type: 'string' } } });
  const from = values['from-sequence'];
  return { account: positive(values.account), fromSequence: from === undefined ? undefined : positive(from) };
}

function positive(text: string | undefined): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(USAGE);
  return process.exit(2);
}

async function natsUrl(): Promise<string[]> {
  const given = process.env['NATS_URL'];
  if (given !== undefined && given !== '') return given.split(',');
  const stack: unknown = JSON.parse(await readFile(new URL('../../.local/stack.json', import.meta.url), 'utf8'));
  const url: unknown = typeof stack === 'object' && stack !== null && 'nats_url' in stack ? stack.nats_url : undefined;
  if (typeof url !== 'string') throw new Error('.local/stack.json names no nats_url: give NATS_URL');
  return [url];
}

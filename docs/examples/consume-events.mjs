import { parseArgs } from 'node:util';
import { connect } from '@nats-io/transport-node';
import { consumeEvents } from '@survey/events';

const USAGE = `Prints a line for each event: the stored ones first, then new ones as they arrive.

  NATS_URL=nats://127.0.0.1:4222 node consume-events.mjs --durable NAME [--account ID] [--from-position N]

--durable names the consumer, which continues where it stopped. --from-position is the first event of
a new consumer, by the first column. NATS_USER and NATS_PASSWORD are the credentials, if any.`;

const { values } = parseArgs({
  options: { durable: { type: 'string' }, account: { type: 'string' }, 'from-position': { type: 'string' } },
});
if (values.durable === undefined || process.env.NATS_URL === undefined) {
  console.error(USAGE);
  process.exit(2);
}

const bus = await connect({
  servers: process.env.NATS_URL.split(','),
  user: process.env.NATS_USER,
  pass: process.env.NATS_PASSWORD,
  name: 'example-consume-events',
  timeout: 5_000,
});
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());

const events = consumeEvents(bus, {
  durable: values.durable,
  accountId: numberOf('account'),
  fromPosition: numberOf('from-position'),
  onGap: ({ source, first, last }) => console.error(`missing from ${source}: ${first} to ${last}`),
  signal: stopping.signal,
});
for await (const event of events) {
  const { position, time, accountId, source, sequence, subject } = event;
  console.log([position, time, accountId, source, sequence, subject, describe(event)].join('  '));
  // A service acknowledges after the transaction that processes the event.
  event.ack();
}
await bus.drain();

function describe({ payload }) {
  if ('employees' in payload) return `${payload.employees.length} employees of import ${payload.import_uuid}`;
  if ('counts' in payload) return `import ${payload.import_uuid}`;
  return '';
}

function numberOf(name) {
  const number = values[name] === undefined ? undefined : Number(values[name]);
  if (number === undefined || (Number.isSafeInteger(number) && number > 0)) return number;
  console.error(`--${name} must be a positive integer`);
  return process.exit(2);
}

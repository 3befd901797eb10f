import { randomUUID } from 'node:crypto';
import { readConsumerProgress, type ConsumerProgress } from '@survey/bus/facts/consumer-progress.ts';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { readLine } from '@survey/bus/lines/read-line.ts';
import { factReasonText } from '@survey/bus/lines/reasons.ts';
import { toFact } from '@survey/bus/lines/to-fact.ts';
import { connectTool, type ToolConnection } from '@survey/bus/connection.ts';
import { withoutCredentials } from '@survey/process/cause-of.ts';
import type { DeferredFactCount, WaitingLine } from '@survey/proto/admin/v1/admin.ts';
import { Fact } from '@survey/proto/intake/v1/intake.ts';
import { CommandError } from '../command-error.ts';
import type { AccountAdmin } from '../connection.ts';
import type { Progress } from '../progress.ts';
import { FactSpool } from './fact-spool.ts';
import { linesOf, type SourceLine } from './lines-of.ts';
import type { Source } from './source.ts';
import { type RejectedLine, Tally } from './tally.ts';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoadOptions {
  accountId: number;
  natsUrl: string;
  source: Source;
  progress: Progress;
  stallTimeoutMs: number;
  // Rejected lines that the outcome lists at most.
  maxRejections: number;
}

export interface LoadOutcome {
  source: string;
  tally: Tally;
  rejections: RejectedLine[];
  // Counts for the whole account.
  deferred: DeferredFactCount[];
  // The first deferred lines of this load.
  waitingLines: WaitingLine[];
  waitingLinesTotal: number;
  // Kinds without a consumer: nobody reads them, and the stream keeps them for some days.
  unconsumedKinds: string[];
  seconds: number;
}

const MAX_WAITING_LINES = 10_000;

/**
 * Publishes a dataset and waits until every service that consumes its kinds has applied them.
 * Responses are published last, so that the attributes of their respondents come from the whole
 * dataset.
 */
export async function loadDataset(admin: AccountAdmin, options: LoadOptions): Promise<LoadOutcome> {
  const { accountId, maxRejections } = options;
  const begun = performance.now();
  const origin = { accountId, source: `load-${randomUUID()}` };
  // Fails early when the account does not exist.
  await admin.countDeferredFacts({ account_id: accountId });
  await using tool = await connect(options.natsUrl);
  const publisher = new FactPublisher(tool.bus, origin);
  const tally = new Tally(maxRejections);
  await using spool = await FactSpool.open();
  const targets = { publisher, spool, tally };
  await publish(targets, options);
  await waitFor(tool, publisher, tally, options);
  await resumable(tally, () => publishResponses(targets));
  const takers = await waitFor(tool, publisher, tally, options);
  const byServices = await readDeadLetters(admin, origin, tally, maxRejections);
  const limit = Math.min(maxRejections, MAX_WAITING_LINES);
  const deferred = await admin.countDeferredFacts({ account_id: accountId, source: origin.source, limit });
  return {
    source: origin.source,
    tally,
    rejections: tally.rejections(byServices),
    deferred: deferred.waiting,
    waitingLines: deferred.lines,
    waitingLinesTotal: deferred.lines_total,
    unconsumedKinds: [...publisher.published.keys()].filter((kind) => !takers.has(kind)),
    seconds: (performance.now() - begun) / 1_000,
  };
}

async function connect(natsUrl: string): Promise<ToolConnection> {
  try {
    return await connectTool(natsUrl, 'surveyctl');
  } catch (error) {
    throw new CommandError(
      `cannot use NATS at ${withoutCredentials(natsUrl)}: it does not respond or has no stream INTAKE; check the address, and that the service runs`,
      undefined,
      {
        cause: error,
      },
    );
  }
}

async function publish(targets: LineTargets, { source, progress }: LoadOptions): Promise<void> {
  const { tally } = targets;
  const begun = performance.now();
  const show = (): void => {
    const rate = Math.round(tally.lines / Math.max(0.001, (performance.now() - begun) / 1_000));
    const detail = `${count(tally.lines)} lines, ${count(rate)}/s`;
    progress.show({ activity: 'publishing', done: source.bytesRead(), total: source.bytesTotal, detail });
  };
  await resumable(tally, () => publishLines(source.chunks, targets, show));
}

async function resumable(tally: Tally, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot publish after line ${tally.lines}; load the same file again, which is safe`, undefined, {
      cause: error,
    });
  }
}

// Returns the kinds that a service consumes.
async function waitFor(
  { bus }: ToolConnection,
  { published }: FactPublisher,
  tally: Tally,
  { progress, stallTimeoutMs }: LoadOptions,
): Promise<Set<string>> {
  let maxRemaining = 0;
  const states = await waitUntilApplied({
    poll: () => readConsumerProgress(bus, published),
    onLook: (states) => {
      const remaining = remainingOf(states);
      maxRemaining = Math.max(maxRemaining, remaining);
      const detail = `${count(tally.lines - tally.rejected)} facts, ${remaining} messages left`;
      progress.show({ activity: 'services apply them', done: maxRemaining - remaining, total: maxRemaining, detail });
    },
    stallTimeoutMs,
  });
  return new Set(states.map(({ kind }) => kind));
}

function count(number: number): string {
  return number.toLocaleString('en');
}

interface LineTargets {
  readonly publisher: FactPublisher;
  // Receives the responses.
  readonly spool: FactSpool;
  readonly tally: Tally;
}

/**
 * Publishes a dataset's lines as facts. Responses go to the spool until employees have their
 * attributes. An invalid line is counted with its reason and does not stop the others.
 */
async function publishLines(source: AsyncIterable<Uint8Array>, targets: LineTargets, onChunk: () => void): Promise<void> {
  for await (const lines of linesOf(source)) {
    for (const line of lines) await publishLine(line, targets);
    onChunk();
  }
  await targets.publisher.flush();
}

/** Publishes the responses of the spool. */
async function publishResponses({ publisher, spool }: LineTargets): Promise<void> {
  for await (const fact of spool.facts()) await publisher.addEncoded('response', fact);
  await publisher.flush();
}

async function publishLine(source: SourceLine, { publisher, spool, tally }: LineTargets): Promise<void> {
  const { number } = source;
  if ('fault' in source) return tally.reject(number, undefined, source.fault);
  const reading = readLine(source.text);
  if ('reason' in reading) return tally.reject(number, reading.kind, factReasonText(reading.reason));
  const { line } = reading;
  const fact = toFact(line, number);
  if (line.kind === 'response') await spool.add(Fact.encode(fact).finish());
  else await publisher.add(line.kind, fact);
  tally.published(line.kind);
}

const PAGE = 10_000;

/** Counts a load's rejected facts, and returns the first `maxRejections` of them. */
async function readDeadLetters(
  admin: AccountAdmin,
  { accountId, source }: { accountId: number; source: string },
  tally: Tally,
  maxRejections: number,
): Promise<RejectedLine[]> {
  const request = { account_id: accountId, source };
  const rejected: RejectedLine[] = [];
  for (;;) {
    const limit = Math.min(PAGE, maxRejections - rejected.length);
    const page = await admin.listDeadLetters({ ...request, limit, offset: rejected.length });
    if (rejected.length === 0) for (const { kind, lines } of page.counts) tally.rejectedByServices(kind, lines);
    for (const line of page.dead_letters) rejected.push({ ...line, reason: factReasonText(line.reason) });
    if (page.dead_letters.length === 0 || rejected.length >= Math.min(maxRejections, page.total)) return rejected;
  }
}

const LOOK_INTERVAL_MS = 200;

interface WaitOptions {
  poll: () => Promise<ConsumerProgress[]>;
  onLook: (states: readonly ConsumerProgress[]) => void;
  // Longest time without progress before the wait fails.
  stallTimeoutMs: number;
}

/** Waits until every consumer has processed the published messages. Returns the final progress. */
export async function waitUntilApplied({ poll, onLook, stallTimeoutMs }: WaitOptions): Promise<ConsumerProgress[]> {
  let fewest = Infinity;
  let movedAt = performance.now();
  for (;;) {
    const states = await poll();
    onLook(states);
    const remaining = remainingOf(states);
    if (remaining === 0) return states;
    if (remaining < fewest) movedAt = performance.now();
    fewest = Math.min(fewest, remaining);
    if (performance.now() - movedAt > stallTimeoutMs) throw stallError(states, stallTimeoutMs);
    await sleep(LOOK_INTERVAL_MS);
  }
}

function remainingOf(states: readonly ConsumerProgress[]): number {
  return states.reduce((sum, { remaining }) => sum + remaining, 0);
}

function stallError(states: readonly ConsumerProgress[], stallTimeoutMs: number): CommandError {
  const names = states.filter(({ remaining }) => remaining > 0).map(({ consumer }) => consumer);
  return new CommandError(
    `all facts are published, but ${names.join(', ')} made no progress for ${stallTimeoutMs / 1_000} s; check that the service is running, it continues by itself`,
  );
}

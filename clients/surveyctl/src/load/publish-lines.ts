import type { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { readLine } from '@survey/bus/lines/read-line.ts';
import { toFact } from '@survey/bus/lines/to-fact.ts';
import { Fact } from '@survey/proto/intake/v1/intake.ts';
import type { FactSpool } from './fact-spool.ts';
import { linesOf, type SourceLine } from './lines-of.ts';
import type { Tally } from './tally.ts';

export interface LineTargets {
  readonly publisher: FactPublisher;
  // Receives the responses.
  readonly spool: FactSpool;
  readonly tally: Tally;
}

/**
 * Publishes a dataset's lines as facts. Responses go to the spool until employees have their
 * attributes. An invalid line is counted with its reason and does not stop the others.
 */
export async function publishLines(source: AsyncIterable<Uint8Array>, targets: LineTargets, onChunk: () => void): Promise<void> {
  for await (const lines of linesOf(source)) {
    for (const line of lines) await publishLine(line, targets);
    onChunk();
  }
  await targets.publisher.flush();
}

/** Publishes the responses of the spool. */
export async function publishResponses({ publisher, spool }: LineTargets): Promise<void> {
  for await (const fact of spool.facts()) await publisher.addEncoded('response', fact);
  await publisher.flush();
}

async function publishLine(source: SourceLine, { publisher, spool, tally }: LineTargets): Promise<void> {
  const { number } = source;
  if ('fault' in source) return tally.reject(number, undefined, source.fault);
  const reading = readLine(source.text);
  if ('reason' in reading) return tally.reject(number, reading.kind, reading.reason);
  const { line } = reading;
  const fact = toFact(line, number);
  if (line.kind === 'response') await spool.add(Fact.encode(fact).finish());
  else await publisher.add(line.kind, fact);
  tally.published(line.kind);
}

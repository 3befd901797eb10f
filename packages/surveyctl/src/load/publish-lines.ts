import type { FactPublisher } from '@survey/bus/publish-facts.ts';
import { readLine } from '@survey/dataset/read-line.ts';
import { toFact } from '@survey/dataset/to-fact.ts';
import { linesOf, type SourceLine } from './lines-of.ts';
import type { Tally } from './tally.ts';

/** Publishes the lines of a dataset as facts. A bad line is counted with its reason and does not stop the others. */
export async function publishLines(
  source: AsyncIterable<Uint8Array>,
  publisher: FactPublisher,
  tally: Tally,
  onChunk: () => void,
): Promise<void> {
  for await (const lines of linesOf(source)) {
    for (const line of lines) await publishLine(line, publisher, tally);
    onChunk();
  }
  await publisher.flush();
}

async function publishLine(source: SourceLine, publisher: FactPublisher, tally: Tally): Promise<void> {
  const { number } = source;
  if ('fault' in source) return tally.refused(number, undefined, source.fault);
  const reading = readLine(source.text);
  if ('reason' in reading) return tally.refused(number, reading.kind, reading.reason);
  const { line } = reading;
  await publisher.add(line.kind, toFact(line, number));
  tally.published(line.kind);
}

import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { causeOf } from '@survey/process/cause-of.ts';
import { CommandError, EXIT } from '../command-error.ts';

/** Source of the lines, with reading progress. */
export interface Source {
  chunks: AsyncIterable<Uint8Array>;
  bytesRead(): number;
  // Undefined for standard input.
  bytesTotal: number | undefined;
}

const CHUNK_BYTES = 256 * 1024;

/** Opens a file, or standard input for `-`. */
export async function openSource(file: string): Promise<Source> {
  if (file === '-') return { chunks: process.stdin, bytesRead: () => 0, bytesTotal: undefined };
  const bytesTotal = await sizeOf(file);
  const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  return { chunks: stream, bytesRead: () => stream.bytesRead, bytesTotal };
}

// A pipe such as <(zcat big.ndjson.gz) has no size.
async function sizeOf(file: string): Promise<number | undefined> {
  try {
    // Opening it also checks that it is readable.
    await using handle = await open(file, 'r');
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new CommandError(`cannot read ${file}: it is a folder`, EXIT.usage);
    return stat.isFile() ? stat.size : undefined;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot read ${file}: ${causeOf(error)}`, EXIT.usage, { cause: error });
  }
}

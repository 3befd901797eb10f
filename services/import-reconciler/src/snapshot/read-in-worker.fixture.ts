import { parentPort, workerData } from 'node:worker_threads';
import { createElementHasher } from './content-hash.ts';
import { KnownHashes } from './known-hashes.ts';
import { readSnapshot } from './read-snapshot.ts';

// Reads the body of workerData, in a heap of its own.

async function* source(): AsyncGenerator<Buffer> {
  yield Buffer.from(String(workerData));
}

const reading = { encoding: 'identity', hasher: await createElementHasher(''), knownHashes: new KnownHashes(0) } as const;
parentPort?.postMessage(await readSnapshot(source(), reading));

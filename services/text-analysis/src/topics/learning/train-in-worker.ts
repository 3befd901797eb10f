import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TopicView } from '../categoriser.ts';
import type { TopicExample, trainTopics } from './train-topics.ts';

export interface TrainingSet {
  readonly topics: readonly TopicView[];
  readonly examples: readonly TopicExample[];
}

export type TrainingResult = ReturnType<typeof trainTopics>;

const MAX_MS = 5 * 60_000;

/**
 * Trains a topic model in a worker thread, so that the seconds it takes do not block this process.
 */
export async function trainInWorker(trainingSet: TrainingSet): Promise<TrainingResult> {
  const worker = new Worker(new URL('./train-worker.ts', import.meta.url), { workerData: trainingSet });
  try {
    const [result] = await once(worker, 'message', { signal: AbortSignal.timeout(MAX_MS) });
    // Posted by train-worker.ts.
    return result as TrainingResult;
  } finally {
    await worker.terminate();
  }
}

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TopicView } from '../topics/categoriser.ts';
import type { TopicExample } from '../topics/learning/topic-example.ts';
import type { trainTopics } from '../topics/learning/train-topics.ts';

export interface Lesson {
  readonly topics: readonly TopicView[];
  readonly examples: readonly TopicExample[];
}

export type Trained = ReturnType<typeof trainTopics>;

const LONGEST_MS = 5 * 60_000;

/** Trains a learner in a thread of its own: it may take seconds, in which this one goes on answering. */
export async function trainInWorker(lesson: Lesson): Promise<Trained> {
  const worker = new Worker(new URL('./train-worker.ts', import.meta.url), { workerData: lesson });
  try {
    const [trained] = await once(worker, 'message', { signal: AbortSignal.timeout(LONGEST_MS) });
    // What train-worker.ts posts.
    return trained as Trained;
  } finally {
    await worker.terminate();
  }
}

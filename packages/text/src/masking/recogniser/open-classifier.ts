import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { ClassifyWords, ScoredWord } from './classify-words.ts';

/** Folder of the model; `npm run fetch-model` fills it. */
export const MODEL_FOLDER = fileURLToPath(new URL('../../../models/recogniser', import.meta.url));

// The worker keeps the vocabulary and one text at a time; the model is not on its heap.
const HEAP_MB = 64;

/** A loaded model. */
interface Classifier {
  readonly classify: ClassifyWords;
  // Digest of its files.
  readonly version: string;
}

/**
 * Message of classifier-worker.ts: first the version of the model or why it is not loaded, then one
 * per text.
 */
export type FromWorker =
  { readonly version: string } | { readonly failed: string } | { readonly id: number; readonly words: readonly ScoredWord[] };
export interface ToWorker {
  readonly id: number;
  readonly text: string;
}

/**
 * Loads the model in a worker thread, because each text blocks its thread for some milliseconds. A
 * later failure of the thread ends the process: answers would wait for it without an end.
 * @throws when the model or its library cannot be loaded
 */
export async function openClassifier(folder = MODEL_FOLDER): Promise<Classifier & AsyncDisposable> {
  const worker = new Worker(new URL('./classifier-worker.ts', import.meta.url), {
    workerData: folder,
    // The library reads a variable that the thread sets.
    env: SHARE_ENV,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const close = async (): Promise<void> => void (await worker.terminate());
  const [first] = (await once(worker, 'message')) as [FromWorker];
  if (!('version' in first)) {
    await close();
    throw new Error(`cannot load the masking model: ${'failed' in first ? first.failed : 'unknown error'}`);
  }
  const waiting = new Map<number, (words: readonly ScoredWord[]) => void>();
  worker.on('message', (message: FromWorker) => {
    if (!('id' in message)) return;
    waiting.get(message.id)?.(message.words);
    waiting.delete(message.id);
    if (waiting.size === 0) worker.unref();
  });
  worker.unref();
  let last = 0;
  const classify: ClassifyWords = (text) => {
    const { promise, resolve } = Promise.withResolvers<readonly ScoredWord[]>();
    const question: ToWorker = { id: ++last, text };
    waiting.set(question.id, resolve);
    worker.ref();
    worker.postMessage(question);
    return promise;
  };
  return { classify, version: first.version, [Symbol.asyncDispose]: close };
}

import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { RunModel } from './classify-words.ts';

const PROGRAM = new URL('./session-worker.ts', import.meta.url);

// The thread has one window on its heap; the model is outside of it.
const HEAP_MB = 64;

/** Message of the thread: its version once the model is loaded, then the logits of each window. */
export type FromThread = { readonly version: string } | { readonly failed: string } | { readonly logits: Float32Array };

/** The thread of the model ended while it read a window. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
}

interface ModelThread extends AsyncDisposable {
  readonly run: RunModel;
  // Digest of the model's files.
  readonly version: string;
}

/**
 * Loads the model in a worker thread, because each window blocks its thread for some milliseconds.
 *
 * The thread has one window at a time; the others wait here in the order in which they came. A text
 * sends its next window when it has the result of the last one, so texts take turns, and a short
 * one waits for a window of a long one, not for all of it. When the thread ends, only the text of
 * this window fails, with ThreadEndedError: the next window starts another thread.
 * @throws when the model or its library cannot be loaded
 */
export async function openModelThread(folder: string, program = PROGRAM): Promise<ModelThread> {
  let thread: Thread | undefined;
  const start = async (): Promise<Thread> => {
    const started = await startThread(folder, program);
    started.worker.once('exit', () => (thread = undefined));
    return started;
  };
  const { version } = (thread = await start());
  let previous: Promise<unknown> = Promise.resolve();
  const runNext = async (ids: readonly number[]): Promise<Float32Array> => {
    const { worker } = (thread ??= await start());
    worker.postMessage(ids);
    const answer = await messageOf(worker);
    if ('logits' in answer) return answer.logits;
    throw new Error(`cannot find names: ${'failed' in answer ? answer.failed : 'unknown error'}`);
  };
  return {
    version,
    run: (ids) => {
      const logits = previous.then(() => runNext(ids));
      // The caller gets the error, and the next run begins after it.
      previous = logits.catch(() => undefined);
      return logits;
    },
    [Symbol.asyncDispose]: async () => void (await thread?.worker.terminate()),
  };
}

interface Thread {
  readonly worker: Worker;
  readonly version: string;
}

async function startThread(folder: string, program: URL): Promise<Thread> {
  const worker = new Worker(program, {
    workerData: folder,
    // The library reads a variable that the thread sets.
    env: SHARE_ENV,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // Without a listener the error would end the process. The exit follows.
  worker.on('error', () => undefined);
  const first = await messageOf(worker).catch(() => ({ failed: 'its thread ended' }));
  if ('version' in first) return { worker, version: first.version };
  await worker.terminate();
  throw new Error(`cannot load the masking model: ${'failed' in first ? first.failed : 'unknown error'}`);
}

// Returns the next message. The thread keeps the process alive only while one is awaited.
async function messageOf(thread: Worker): Promise<FromThread> {
  const { promise, resolve, reject } = Promise.withResolvers<FromThread>();
  const end = (): void => reject(new ThreadEndedError('the thread of the masking model ended'));
  thread.once('message', resolve).once('exit', end).ref();
  try {
    return await promise;
  } finally {
    thread.off('message', resolve).off('exit', end).unref();
  }
}

import { parentPort, workerData } from 'node:worker_threads';
import { loadClassifier, type ClassifyWords } from './classify-words.ts';
import type { FromWorker, ToWorker } from './open-classifier.ts';

// Started only by open-classifier.ts, with the model's folder.
const send = (message: FromWorker): void => parentPort?.postMessage(message);

let classify: ClassifyWords | undefined;
try {
  classify = await loadClassifier(workerData as string);
  send({ loaded: true });
} catch (error) {
  send({ failed: error instanceof Error ? error.message : 'unknown error' });
}

parentPort?.on('message', ({ id, text }: ToWorker) => {
  void classify?.(text).then((words) => send({ id, words }));
});

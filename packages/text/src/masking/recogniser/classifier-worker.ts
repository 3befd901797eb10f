import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { loadClassifier, type ClassifyWords } from './classify-words.ts';
import type { FromWorker, ToWorker } from './open-classifier.ts';

// Started only by open-classifier.ts, with the model's folder.
const send = (message: FromWorker): void => parentPort?.postMessage(message);

let classify: ClassifyWords | undefined;
try {
  const folder = workerData as string;
  classify = await loadClassifier(folder);
  send({ version: await digestOf(folder) });
} catch (error) {
  send({ failed: error instanceof Error ? error.message : 'unknown error' });
}

parentPort?.on('message', ({ id, text }: ToWorker) => {
  void classify?.(text).then((words) => send({ id, words }));
});

async function digestOf(folder: string): Promise<string> {
  const digest = createHash('sha256');
  for (const name of ['model.onnx', 'vocab.txt', 'labels.json']) {
    const file = join(folder, name);
    if (existsSync(file)) digest.update(await readFile(file));
  }
  return digest.digest('hex').slice(0, 12);
}

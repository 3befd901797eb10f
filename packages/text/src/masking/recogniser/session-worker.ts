import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread } from './model-thread.ts';

// Started only by model-thread.ts, with the model's folder. Runs model.onnx on the piece numbers of
// each message.
const send = (message: FromThread): void => parentPort?.postMessage(message);
const fail = (error: unknown): void => send({ failed: error instanceof Error ? error.message : 'unknown error' });

// Read once, when the library is loaded: it would send usage data to its vendor.
process.env['ORT_DISABLE_TELEMETRY'] = '1';

async function open(folder: string): Promise<(ids: readonly number[]) => Promise<Float32Array>> {
  // Loaded late: its failure is one of the model.
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  // One thread: the service has other work for its processors.
  const session = await InferenceSession.create(join(folder, 'model.onnx'), { intraOpNumThreads: 1, interOpNumThreads: 1 });
  return async (ids) => {
    const tensor = (data: BigInt64Array) => new Tensor('int64', data, [1, ids.length]);
    const inputs = {
      input_ids: tensor(BigInt64Array.from(ids, BigInt)),
      attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
      ...(session.inputNames.includes('token_type_ids') && { token_type_ids: tensor(new BigInt64Array(ids.length)) }),
    };
    const { logits } = await session.run(inputs);
    if (!(logits?.data instanceof Float32Array)) throw new Error('the model must return logits');
    return logits.data;
  };
}

async function digestOf(folder: string): Promise<string> {
  const digest = createHash('sha256');
  for (const name of ['model.onnx', 'vocab.txt', 'labels.json']) {
    const file = join(folder, name);
    if (existsSync(file)) digest.update(await readFile(file));
  }
  return digest.digest('hex').slice(0, 12);
}

try {
  const folder = workerData as string;
  const run = await open(folder);
  parentPort?.on('message', (ids: readonly number[]) => void run(ids).then((logits) => send({ logits }), fail));
  send({ version: await digestOf(folder) });
} catch (error) {
  fail(error);
}

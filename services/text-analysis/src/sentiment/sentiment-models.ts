import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { BUCKETS } from '@survey/text/words/word-features.ts';

const modelEntry = z.object({
  language: z.string(),
  file: z.string(),
  sha256: z.string(),
  // Value of one quantisation step of a weight, and the bias for a text without words.
  step: z.number().positive(),
  bias: z.object({ positive: z.number(), negative: z.number() }),
});

export const sentimentManifest = z.object({
  id: z.string(),
  date: z.string(),
  trained_on: z.string(),
  // Bounded: a file of the image.
  sources: z.array(z.object({ name: z.string(), licence: z.string(), languages: z.string() })),
  models: z.array(modelEntry),
});

export interface SentimentModel {
  // Two weights per bucket: positive, then negative, each against neutral.
  readonly weights: Int8Array;
  readonly step: number;
  readonly bias: { readonly positive: number; readonly negative: number };
}

export interface SentimentModels {
  readonly version: string;
  readonly byLanguage: ReadonlyMap<string, SentimentModel>;
}

const SHIPPED = new URL('../../models/', import.meta.url);

/**
 * Reads the weights written by `tools/text/train-sentiment.ts`.
 * @throws when a file differs from the manifest.
 */
export async function loadSentimentModels(folder: URL = SHIPPED): Promise<SentimentModels> {
  const written = await readFile(new URL('manifest.json', folder));
  const manifest = sentimentManifest.parse(JSON.parse(written.toString()));
  const models = await Promise.all(
    manifest.models.map(async (entry) => [entry.language, await loadModel(folder, entry)] as const),
  );
  return { version: `${manifest.id}-${sha256(written).slice(0, 12)}`, byLanguage: new Map(models) };
}

async function loadModel(
  folder: URL,
  { file, sha256: expected, step, bias }: z.infer<typeof modelEntry>,
): Promise<SentimentModel> {
  const bytes = await readFile(new URL(file, folder));
  if (sha256(bytes) !== expected || bytes.length !== 2 * BUCKETS) {
    throw new Error(
      `cannot load models/${file}: differs from models/manifest.json; restore both or run tools/text/train-sentiment.ts`,
    );
  }
  return { weights: new Int8Array(bytes), step, bias };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLabels, type ModelLabels } from './model-labels.ts';
import { WordPieces, type Piece } from './word-pieces.ts';

/** Word that the model takes for a part of a name or of a postal address. */
export interface ScoredWord {
  // Offsets as UTF-16 code units, end exclusive.
  readonly start: number;
  readonly end: number;
  // Probabilities, 0 … 1.
  readonly name: number;
  readonly address: number;
}

/** Returns the words of a text that may be parts of a name or an address, in their order. */
export type ClassifyWords = (text: string) => Promise<readonly ScoredWord[]>;

const MIN_SCORE = 0.1;
// The model was trained on short texts, so longer ones are read in windows.
const WINDOW = 128;
const OVERLAP = 32;

/**
 * Loads a BERT token classifier: model.onnx, vocab.txt and, if its labels are not those of the
 * shipped model, labels.json in a folder.
 */
export async function loadClassifier(folder: string): Promise<ClassifyWords> {
  // Read once, when the library is loaded: it would send usage data to its vendor.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  // Loaded late: a process that does not use the model needs no native library.
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const labels = await readLabels(folder);
  const pieces = new WordPieces(await readFile(join(folder, 'vocab.txt'), 'utf8'), labels);
  // One thread: the service has other work for its processors.
  const session = await InferenceSession.create(join(folder, 'model.onnx'), { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const logitsOf = async (window: readonly Piece[]): Promise<Float32Array> => {
    const ids = BigInt64Array.from([pieces.opening, ...window.map(({ id }) => id), pieces.closing], BigInt);
    const tensor = (data: BigInt64Array) => new Tensor('int64', data, [1, ids.length]);
    const inputs = {
      input_ids: tensor(ids),
      attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
      ...(session.inputNames.includes('token_type_ids') && { token_type_ids: tensor(new BigInt64Array(ids.length)) }),
    };
    const { logits } = await session.run(inputs);
    if (!(logits?.data instanceof Float32Array) || logits.data.length !== ids.length * labels.count)
      throw new Error(`cannot find names: the model must return logits of ${labels.count} labels`);
    return logits.data;
  };
  // Fails before the first answer when the labels are another model's.
  await logitsOf([]);
  return async (text) => {
    const all = pieces.split(text);
    const words = new Map<number, ScoredWord>();
    for (let from = 0; from === 0 || from + OVERLAP < all.length; from += WINDOW - OVERLAP) {
      const window = all.slice(from, from + WINDOW);
      addWords(words, window, await logitsOf(window), labels);
    }
    return [...words.values()].filter(({ name, address }) => Math.max(name, address) >= MIN_SCORE);
  };
}

// A word is as probable as its most probable piece.
function addWords(words: Map<number, ScoredWord>, window: readonly Piece[], logits: Float32Array, labels: ModelLabels): void {
  let word = 0;
  for (const [at, piece] of window.entries()) {
    if (piece.opensWord || at === 0) word = piece.start;
    // The first slot is the opening piece.
    const scores = probabilities(logits.subarray((at + 1) * labels.count, (at + 2) * labels.count));
    const { end = 0, name = 0, address = 0 } = words.get(word) ?? {};
    words.set(word, {
      start: word,
      end: Math.max(end, piece.end),
      name: Math.max(name, sum(scores, labels.name)),
      address: Math.max(address, sum(scores, labels.address)),
    });
  }
}

function probabilities(logits: Float32Array): Float32Array {
  const highest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - highest));
  const total = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / total);
}

function sum(scores: Float32Array, indexes: readonly number[]): number {
  return indexes.reduce((all, index) => all + (scores[index] ?? 0), 0);
}

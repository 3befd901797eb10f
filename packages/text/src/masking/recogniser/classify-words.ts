import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { windowsOf } from './text-windows.ts';
import { WordPieces, type Piece } from './word-pieces.ts';
import { existsSync } from 'node:fs';

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

/** Returns the logits of each label for each of these pieces, by their numbers. */
export type RunModel = (ids: readonly number[]) => Promise<Float32Array>;

/**
 * Loads what a BERT token classifier needs in addition to model.onnx: vocab.txt and, if its labels
 * differ from the shipped model, labels.json in a folder.
 */
export async function loadClassifier(folder: string, run: RunModel): Promise<ClassifyWords> {
  const labels = await readLabels(folder);
  const pieces = new WordPieces(await readFile(join(folder, 'vocab.txt'), 'utf8'), labels);
  const logitsOf = async (window: readonly Piece[]): Promise<Float32Array> => {
    const ids = [pieces.opening, ...window.map(({ id }) => id), pieces.closing];
    const logits = await run(ids);
    if (logits.length === ids.length * labels.count) return logits;
    throw new Error(`cannot find names: the model must return logits of ${labels.count} labels`);
  };
  // Fails before the first answer when the labels are another model's.
  await logitsOf([]);
  return async (text) => {
    const scoredWords = new Map<number, ScoredWord>();
    for (const window of windowsOf(text, pieces)) {
      for (const word of wordsIn(window, await logitsOf(window), labels)) {
        if (Math.max(word.name, word.address) >= MIN_SCORE)
          scoredWords.set(word.start, likelier(word, scoredWords.get(word.start)));
      }
    }
    return [...scoredWords.values()].sort((one, other) => one.start - other.start);
  };
}

// A word is as probable as its most probable piece.
function wordsIn(window: readonly Piece[], logits: Float32Array, labels: ModelLabels): Iterable<ScoredWord> {
  const words = new Map<number, ScoredWord>();
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
  return words.values();
}

// Chooses between the scores of a word that two windows contain.
function likelier(word: ScoredWord, other = word): ScoredWord {
  return {
    start: word.start,
    end: Math.max(word.end, other.end),
    name: Math.max(word.name, other.name),
    address: Math.max(word.address, other.address),
  };
}

function probabilities(logits: Float32Array): Float32Array {
  // Bounded: the labels of the model.
  const highest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - highest));
  const total = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / total);
}

function sum(scores: Float32Array, indexes: readonly number[]): number {
  return indexes.reduce((all, index) => all + (scores[index] ?? 0), 0);
}

/** What the labels of a model mean to masking. */
interface ModelLabels {
  // Number of labels.
  readonly count: number;
  // Indexes of the labels of names and of postal addresses.
  readonly name: readonly number[];
  readonly address: readonly number[];
  // Whether the vocabulary has lower-case words without accents.
  readonly isLowerCase: boolean;
}

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index);

// Given names and surnames; house numbers, streets, units, towns, states, postcodes. Each kind has
// one label for its first piece and one for the others.
const SHIPPED: ModelLabels = { count: 35, name: range(1, 4), address: range(23, 34), isLowerCase: true };

/**
 * Reads labels.json in the folder of a model: `labels` has `name`, `address` or null for each label
 * of the model, in its order; `lower_case` is true by default. Without the file, the labels of the
 * shipped model apply.
 */
async function readLabels(folder: string): Promise<ModelLabels> {
  const file = join(folder, 'labels.json');
  if (!existsSync(file)) return SHIPPED;
  const { labels, lower_case: isLowerCase = true } = JSON.parse(await readFile(file, 'utf8')) as {
    readonly labels?: unknown;
    readonly lower_case?: unknown;
  };
  if (
    !Array.isArray(labels) ||
    typeof isLowerCase !== 'boolean' ||
    !labels.every((label) => label === null || label === 'name' || label === 'address')
  )
    throw new Error('labels.json must have `labels`, an array of "name", "address" or null, and may have `lower_case`');
  const indexesOf = (wanted: string): number[] => labels.flatMap((label, index) => (label === wanted ? [index] : []));
  return { count: labels.length, name: indexesOf('name'), address: indexesOf('address'), isLowerCase };
}

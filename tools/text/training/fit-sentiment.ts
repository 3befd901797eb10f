import { BUCKETS } from '@survey/text/words/word-features.ts';
import type { Example } from './example.ts';
import { shuffled } from './shuffled.ts';

export interface Fitted {
  readonly positive: Float32Array;
  readonly negative: Float32Array;
  readonly bias: { readonly positive: number; readonly negative: number };
}

const EPOCHS = 5;
const RATE = 0.05;
const DECAY = 1e-5;

/**
 * Fits a multinomial logistic regression with neutral as the reference, by AdaGrad in a fixed
 * order. Deterministic for the same examples.
 */
export function fitSentiment(examples: readonly Example[]): Fitted {
  const positive = newTable();
  const negative = newTable();
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    for (const example of shuffled(examples, epoch)) {
      const up = Math.exp(sum(positive, example));
      const down = Math.exp(sum(negative, example));
      const all = up + down + 1;
      step(positive, example, up / all - (example.label === 'positive' ? 1 : 0));
      step(negative, example, down / all - (example.label === 'negative' ? 1 : 0));
    }
  }
  return { positive: positive.weights, negative: negative.weights, bias: { positive: positive.bias, negative: negative.bias } };
}

interface Table {
  readonly weights: Float32Array;
  readonly squares: Float32Array;
  bias: number;
  biasSquares: number;
}

const newTable = (): Table => ({
  weights: new Float32Array(BUCKETS),
  squares: new Float32Array(BUCKETS).fill(1e-4),
  bias: 0,
  biasSquares: 1,
});

function sum({ weights, bias }: Table, example: Example): number {
  let total = bias;
  for (let index = 0; index < example.buckets.length; index += 1) {
    total += (weights[example.buckets[index] ?? 0] ?? 0) * (example.weights[index] ?? 0);
  }
  return Math.min(total, 30);
}

function step(table: Table, { buckets, weights, importance }: Example, error: number): void {
  const pull = error * importance;
  for (let index = 0; index < buckets.length; index += 1) {
    const bucket = buckets[index] ?? 0;
    const before = table.weights[bucket] ?? 0;
    const gradient = pull * (weights[index] ?? 0) + DECAY * before;
    const squares = (table.squares[bucket] ?? 0) + gradient * gradient;
    table.squares[bucket] = squares;
    table.weights[bucket] = before - (RATE * gradient) / Math.sqrt(squares);
  }
  table.biasSquares += pull * pull;
  table.bias -= (RATE * pull) / Math.sqrt(table.biasSquares);
}

import { BUCKETS } from '@survey/text/words/word-features.ts';
import type { Fitted } from './fit-sentiment.ts';

// The few largest weights are clipped, so that the many small ones keep some precision.
const RETENTION_SHARE = 0.9995;

/** Quantises weights to whole steps of one byte, positive and negative interleaved. */
export function quantise({ positive, negative, bias }: Fitted): { weights: Int8Array; step: number; bias: Fitted['bias'] } {
  const sizes = Float64Array.from(
    [...positive, ...negative].filter((weight) => weight !== 0),
    Math.abs,
  ).sort();
  const step = (sizes[Math.floor(sizes.length * RETENTION_SHARE)] ?? 1) / 127;
  const weights = new Int8Array(2 * BUCKETS);
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    weights[2 * bucket] = toStep(positive[bucket] ?? 0, step);
    weights[2 * bucket + 1] = toStep(negative[bucket] ?? 0, step);
  }
  return { weights, step, bias };
}

const toStep = (weight: number, step: number): number => Math.max(-127, Math.min(127, Math.round(weight / step)));

import { createHmac } from 'node:crypto';

/**
 * Where an answer stands among those of its account (rule TEXTS-ORDER-1): a keyed hash, so it is stable, tells neither when nor by whom it was
 * written, and puts the answers of one submission no nearer to each other than chance does.
 */
export function sortKeyOf(orderKey: Buffer, responseId: string, questionId: number): bigint {
  return createHmac('sha256', orderKey).update(`${responseId} ${questionId}`).digest().readBigInt64BE();
}

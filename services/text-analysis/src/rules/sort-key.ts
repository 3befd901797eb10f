import { createHmac, type KeyObject } from 'node:crypto';

/**
 * Returns the sort key of an answer within its account (rule TEXTS-ORDER-1): a keyed hash. It is
 * stable, reveals neither time nor respondent, and does not group the answers of one submission.
 */
export function sortKeyOf(orderKey: KeyObject, responseId: string, questionId: number): bigint {
  return createHmac('sha256', orderKey).update(`${responseId} ${questionId}`).digest().readBigInt64BE();
}

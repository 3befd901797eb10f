import type { Client } from '@survey/postgres/database.ts';
import type { MaskForExternal } from '../masking/mask-for-external.ts';
import { usesExternalModels } from '../sql/settings.ts';
import type { SentimentScorer } from './sentiment-scorer.ts';

/**
 * Selects the scorer of an account: the external model if the account has enabled it, else the
 * embedded one.
 */
export interface Scorers {
  readonly modelVersion: string;
  readonly findScorer: (tx: Client, accountId: number) => Promise<SentimentScorer>;
}

export function accountScorers(embedded: SentimentScorer, external: SentimentScorer | undefined, mask: MaskForExternal): Scorers {
  return {
    modelVersion: external === undefined ? embedded.version : `${embedded.version} ${external.version}`,
    findScorer: async (tx, accountId) => {
      if (external === undefined || !(await usesExternalModels(tx, accountId))) return embedded;
      return withMaskedTexts(external, accountId, mask);
    },
  };
}

function withMaskedTexts(inner: SentimentScorer, accountId: number, mask: MaskForExternal): SentimentScorer {
  return { version: inner.version, score: async (pair) => inner.score({ ...pair, text: await mask(accountId, pair) }) };
}

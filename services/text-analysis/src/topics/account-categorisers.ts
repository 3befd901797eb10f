import type { Client } from '@survey/postgres/database.ts';
import { LRUCache } from 'lru-cache';
import type { MaskForExternal } from '../masking/mask-for-external.ts';
import { readTopicModelState, readModel } from '../sql/topic-models.ts';
import { usesExternalModels } from '../sql/settings.ts';
import type { Categoriser } from './categoriser.ts';
import { createLearnedCategoriser } from './learning/learned-categoriser.ts';

/**
 * Selects the categoriser of an account: the external model if enabled, else its active topic
 * model, else the embedded one.
 */
export interface Categorisers {
  // Version of the shared categorisers.
  readonly modelVersion: string;
  readonly findCategoriser: (tx: Client, accountId: number) => Promise<Categoriser>;
}

// Cached topic models, each of some 100 kB.
const MAX_MODELS = 50;

export function accountCategorisers(
  embedded: Categoriser,
  external: Categoriser | undefined,
  mask: MaskForExternal,
): Categorisers {
  const models = new LRUCache<string, Categoriser>({ max: MAX_MODELS });
  return {
    modelVersion: external === undefined ? embedded.version : `${embedded.version} ${external.version}`,
    findCategoriser: async (tx, accountId) => {
      if (external !== undefined && (await usesExternalModels(tx, accountId))) return withMaskedTexts(external, accountId, mask);
      const { activeVersion, timeline } = await readTopicModelState(tx, accountId);
      if (activeVersion === null) return embedded;
      const key = `${accountId} ${activeVersion} ${timeline}`;
      const known = models.get(key);
      if (known !== undefined) return known;
      const model = await readModel(tx, accountId, activeVersion);
      const learned = createLearnedCategoriser(model, `${embedded.version}+model-${activeVersion}`);
      models.set(key, learned);
      return learned;
    },
  };
}

function withMaskedTexts(inner: Categoriser, accountId: number, mask: MaskForExternal): Categoriser {
  return { version: inner.version, assign: async (answer) => inner.assign({ ...answer, text: await mask(accountId, answer) }) };
}

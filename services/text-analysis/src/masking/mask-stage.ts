import type { StageDefinition } from '../stages/stage-definition.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { queueUnmasked, saveMasks } from './masked-texts.ts';
import { readMaskingSettings } from '../tables/settings.ts';
import { maskText } from '@survey/text/masking/mask-text.ts';
import { PERSONAL_CATEGORIES, type Masker, type PersonalCategory } from '@survey/text/masking/masker.ts';
import type { GetRoster } from './roster.ts';

/**
 * Defines masking as a stage. Its version is the policy, so a change of policy masks all texts
 * again.
 */
export function maskStage(masker: Masker, findRoster: GetRoster): StageDefinition<string, undefined> {
  const categoriesByPolicy = policiesOf(masker);
  return {
    stage: 'mask',
    basis: masker.version,
    event: 'events.text.masked',
    wantedVersion: async (tx, accountId) => {
      const masking = maskingOf(await readMaskingSettings(tx, accountId), masker.version);
      return typeof masking === 'string' ? null : String(masking.policy);
    },
    queueOutdated: queueUnmasked,
    prepare: () => Promise.resolve(undefined),
    perform: async (accountId, policy, { text, expectedLanguage }) => {
      const categories = categoriesByPolicy.get(policy);
      if (categories === undefined) throw new Error('policy must belong to the current masker');
      const roster = await findRoster(accountId);
      const spans = await masker.find({ text, language: languageOf(text, expectedLanguage), roster, categories });
      return maskText(text, spans);
    },
    save: (tx, accountId, state, policy, done) => {
      state.sequence += done.length;
      return saveMasks(tx, accountId, policy, state.sequence, done);
    },
  };
}

// A policy is a hash; there is one for every set of categories.
function policiesOf({ version }: Masker): ReadonlyMap<string, ReadonlySet<PersonalCategory>> {
  const policies = new Map<string, ReadonlySet<PersonalCategory>>();
  for (let bits = 1; bits < 2 ** PERSONAL_CATEGORIES.length; bits += 1) {
    const categories = PERSONAL_CATEGORIES.filter((_, index) => (bits >> index) % 2 === 1);
    const masking = maskingOf({ masking_effect: 'on', masking_categories: categories }, version);
    if (typeof masking !== 'string') policies.set(String(masking.policy), new Set(categories));
  }
  return policies;
}

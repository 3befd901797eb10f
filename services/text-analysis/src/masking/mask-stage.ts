import type { StageWork } from '../jobs/stage-work.ts';
import { languageOf } from '../language.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { queueUnmasked, saveMasks } from '../sql/masked-texts.ts';
import { readMaskingSettings } from '../sql/settings.ts';
import { maskText } from './mask-text.ts';
import { PERSONAL_CATEGORIES, type Masker, type PersonalCategory } from './masker.ts';
import type { FindRoster } from './rosters.ts';

/** Masking as a stage: its version is the policy. What was masked by another policy is masked again. */
export function maskStage(masker: Masker, findRoster: FindRoster): StageWork<string, undefined> {
  const categoriesOf = rememberCategories(masker);
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
    perform: async (accountId, policy, { text }) => {
      const categories = categoriesOf(policy);
      const roster = await findRoster(accountId);
      const spans = await masker.find({ text, language: languageOf(text), roster, categories });
      return maskText(text, spans);
    },
    save: (tx, accountId, state, policy, done) => {
      state.sequence += done.length;
      return saveMasks(tx, accountId, policy, state.sequence, done);
    },
  };
}

// A policy is a hash, and there are as many as there are sets of categories.
function rememberCategories({ version }: Masker): (policy: string) => ReadonlySet<PersonalCategory> {
  const known = new Map<string, ReadonlySet<PersonalCategory>>();
  for (let bits = 1; bits < 2 ** PERSONAL_CATEGORIES.length; bits += 1) {
    const categories = PERSONAL_CATEGORIES.filter((_, index) => (bits >> index) % 2 === 1);
    const masking = maskingOf({ masking_effect: 'on', masking_categories: categories }, version);
    if (typeof masking !== 'string') known.set(String(masking.policy), new Set(categories));
  }
  return (policy) => {
    const categories = known.get(policy);
    if (categories === undefined) throw new Error('the policy is of another masker');
    return categories;
  };
}

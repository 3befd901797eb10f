import type { StageDefinition } from '../jobs/stage-definition.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { queueUnmasked, saveMasks } from '../sql/masked-texts.ts';
import { readMaskingSettings } from '../sql/settings.ts';
import { maskText } from '@survey/text/masking/mask-text.ts';
import { maskerFor, type Maskers } from './maskers.ts';
import { PERSONAL_CATEGORIES, type Masker, type PersonalCategory } from '@survey/text/masking/masker.ts';
import type { GetRoster } from './roster-cache.ts';

/**
 * Defines masking as a stage. Its version is the policy, so a change of policy masks all texts
 * again.
 */
export function maskStage(maskers: Maskers, findRoster: GetRoster): StageDefinition<string, undefined> {
  const all = [maskers.embedded, ...(maskers.external === undefined ? [] : [maskers.external])];
  const workOf = rememberPolicies(all);
  return {
    stage: 'mask',
    basis: all.map(({ version }) => version).join(' '),
    event: 'events.text.masked',
    wantedVersion: async (tx, accountId) => {
      const settings = await readMaskingSettings(tx, accountId);
      const masking = maskingOf(settings, maskerFor(maskers, settings).version);
      return typeof masking === 'string' ? null : String(masking.policy);
    },
    queueOutdated: queueUnmasked,
    prepare: () => Promise.resolve(undefined),
    perform: async (accountId, policy, { text, expectedLanguage }) => {
      const { masker, categories } = workOf(policy);
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

interface Work {
  readonly masker: Masker;
  readonly categories: ReadonlySet<PersonalCategory>;
}

// A policy is a hash. Each masker version has one policy per set of categories.
function rememberPolicies(maskers: readonly Masker[]): (policy: string) => Work {
  const known = new Map<string, Work>();
  for (const masker of maskers) {
    for (let bits = 1; bits < 2 ** PERSONAL_CATEGORIES.length; bits += 1) {
      const categories = PERSONAL_CATEGORIES.filter((_, index) => (bits >> index) % 2 === 1);
      const masking = maskingOf({ masking_effect: 'on', masking_categories: categories }, masker.version);
      if (typeof masking !== 'string') known.set(String(masking.policy), { masker, categories: new Set(categories) });
    }
  }
  return (policy) => {
    const work = known.get(policy);
    if (work === undefined) throw new Error('policy must belong to a current masker');
    return work;
  };
}

import { createHash } from 'node:crypto';
import type { StageDefinition } from '../stages/stage-definition.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { maskAgainLater, queueUnmasked, saveMasks, type MaskedBy } from './masked-texts.ts';
import { readMaskingSettings } from '../tables/settings.ts';
import { maskText } from '@survey/text/masking/mask-text.ts';
import { PERSONAL_CATEGORIES, type Masker, type PersonalCategory } from '@survey/text/masking/masker.ts';
import type { GetRoster } from './roster.ts';

/**
 * Defines masking as a stage. Its version is the policy and the masker: a change of either masks
 * all texts again, and the masks of the former masker are shown until then. Of two releases that
 * run side by side, the earlier one masks what nobody has masked, and leaves the rest to the later.
 */
export function maskStage(masker: Masker, findRoster: GetRoster): StageDefinition<string, undefined> {
  const categoriesByPolicy = policies();
  return {
    stage: 'mask',
    basis: masker.version,
    event: 'events.text.masked',
    wantedVersion: async (tx, accountId) => {
      const masking = maskingOf(await readMaskingSettings(tx, accountId));
      return typeof masking === 'string' ? null : `${masking.policy} ${masker.generation} ${masker.version}`;
    },
    yieldsTo: (version, wanted) => {
      const [theirs, ours] = [partsOf(version), partsOf(wanted)];
      return theirs.policy === ours.policy && theirs.generation > ours.generation;
    },
    queueOutdated: (tx, accountId, version, range) => queueUnmasked(tx, accountId, partsOf(version), range),
    prepare: () => Promise.resolve(undefined),
    perform: async (accountId, version, { text, expectedLanguage }) => {
      const categories = categoriesByPolicy.get(partsOf(version).policy);
      if (categories === undefined) throw new Error('policy must belong to a set of categories');
      const roster = await findRoster(accountId);
      const spans = await masker.find({ text, language: languageOf(text, expectedLanguage), roster, categories });
      return maskText(text, spans);
    },
    save: async (tx, accountId, state, version, done) => {
      state.sequence += done.length;
      const requestedMask = partsOf(version);
      const ownMask = { policy: requestedMask.policy, masker: numberOf(masker.version) };
      const saved = await saveMasks(tx, accountId, ownMask, state.sequence, done);
      if (ownMask.masker !== requestedMask.masker) await maskAgainLater(tx, accountId, saved);
      return saved;
    },
  };
}

function partsOf(version: string): MaskedBy & { readonly generation: number } {
  const [policy = '', generation, masker = ''] = version.split(' ');
  return { policy, generation: Number(generation), masker: numberOf(masker) };
}

// Stored with each mask, so it is short.
const numberOf = (maskerVersion: string): number => createHash('sha256').update(maskerVersion).digest().readInt32BE();

// A policy is a hash; there is one for every set of categories.
function policies(): ReadonlyMap<string, ReadonlySet<PersonalCategory>> {
  const categoriesOf = new Map<string, ReadonlySet<PersonalCategory>>();
  for (let bits = 1; bits < 2 ** PERSONAL_CATEGORIES.length; bits += 1) {
    const categories = PERSONAL_CATEGORIES.filter((_, index) => (bits >> index) % 2 === 1);
    const masking = maskingOf({ masking_effect: 'on', masking_categories: categories });
    if (typeof masking !== 'string') categoriesOf.set(String(masking.policy), new Set(categories));
  }
  return categoriesOf;
}

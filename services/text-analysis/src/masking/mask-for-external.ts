import { maskText } from '@survey/pii-masking/mask-text.ts';
import { PERSONAL_CATEGORIES, type Masker } from '@survey/pii-masking/masker.ts';
import type { GetRoster } from './roster-cache.ts';

/** A text as whoever is outside of the service may see it. */
export type MaskForExternal = (
  accountId: number,
  answer: { readonly text: string; readonly language: string },
) => Promise<string>;

const ALL = new Set(PERSONAL_CATEGORIES);

/** Masks everything personal, whatever the account has decided about what callers of the API see, imported answers too. */
export function maskForOthers(masker: Masker, findRoster: GetRoster): MaskForExternal {
  return async (accountId, { text, language }) => {
    const spans = await masker.find({ text, language, roster: await findRoster(accountId), categories: ALL });
    return maskText(text, spans);
  };
}

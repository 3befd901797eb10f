import { maskText } from '@survey/text/masking/mask-text.ts';
import { PERSONAL_CATEGORIES, type Masker } from '@survey/text/masking/masker.ts';
import type { GetRoster } from './roster-cache.ts';

/** Masks a text for an external model. */
export type MaskForExternal = (
  accountId: number,
  answer: { readonly text: string; readonly language: string },
) => Promise<string>;

const ALL = new Set(PERSONAL_CATEGORIES);

/**
 * Masks all categories, also in imported answers, regardless of the account's masking policy for
 * the API.
 */
export function maskForOthers(masker: Masker, findRoster: GetRoster): MaskForExternal {
  return async (accountId, { text, language }) => {
    const spans = await masker.find({ text, language, roster: await findRoster(accountId), categories: ALL });
    return maskText(text, spans);
  };
}

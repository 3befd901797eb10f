import { maskText } from '@survey/text/masking/mask-text.ts';
import { PERSONAL_CATEGORIES, type Masker } from '@survey/text/masking/masker.ts';
import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { MaskedText, TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { languageOf } from '@survey/text/words/language.ts';
import type { GetRoster } from './roster.ts';
import { defaultLanguage, readMaskingSettings } from '../tables/settings.ts';

const MAX_TEXTS = 1_000;

/** Masks texts that are not stored, as answers of the account are masked (rule TEXTS-MASKING-1). */
export function maskTexts(
  pool: Pool,
  { masker, findRoster }: { readonly masker: Masker; readonly findRoster: GetRoster },
): Handlers<TopicServiceDefinition>['maskTexts'] {
  return async ({ texts, language: given }, call) => {
    if (texts.length > MAX_TEXTS) throw invalid(`texts must have at most ${MAX_TEXTS} entries`);
    const accountId = accountOf(call);
    const { settings, expected } = await inAccountSnapshot(pool, accountId, async (tx) => ({
      settings: await readMaskingSettings(tx, accountId),
      expected: given ?? (await defaultLanguage(tx, accountId)),
    }));
    const isOn = settings.masking_effect === 'on';
    const categories = new Set(PERSONAL_CATEGORIES.filter((each) => !isOn || settings.masking_categories.includes(each)));
    const roster = await findRoster(accountId);
    const masked: MaskedText[] = [];
    // One after the other, so that stored answers take turns with them.
    for (const text of texts) {
      const language = languageOf(text, expected);
      const spans = await masker.find({ text, language, roster, categories });
      const masks = spans.map(({ category, start, end, source: rule }) => ({ category, start, end, rule }));
      masked.push({ text: maskText(text, spans), language, masks });
    }
    return { texts: masked };
  };
}

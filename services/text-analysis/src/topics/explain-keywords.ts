import type { Client } from '@survey/postgres/database.ts';
import type { ExplainedKeyword, TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { readWords } from '@survey/text/words/read-words.ts';
import { readAnswers } from '../release/read-answers.ts';
import { type Released, type ReleaseContext, WHOLE_ACCOUNT, withReleased } from '../release/released-answers.ts';
import { compileMatcher, topicNames } from './keyword-matcher.ts';
import { checkKeywords } from './topic-wording.ts';
import { findTopic } from './topics.ts';
import { suggestedKeywords } from './usual-topics.ts';

// In the order of GET /v1/text_responses, which is random.
const MAX_TEXTS = 20_000;

// Languages of the respondents, in the order of the answers.
const LANGUAGES = `
select r.language from unnest($2::integer[]) with ordinality asked (id, at)
join text.answer a on a.account_id = $1::bigint and a.id = asked.id
join text.response r on r.account_id = $1::bigint and r.id = a.response_id
order by asked.at`;

type Shown = Pick<Released, 'policy' | 'deniedWords'>;

/** Reads answers as GET /v1/text_responses returns them, and the languages in which they are. */
export async function readWithLanguages(tx: Client, accountId: number, ids: readonly number[], shown: Shown) {
  const answers = await readAnswers(tx, accountId, ids, shown);
  const { rows } = await tx.query<{ language: string | null }>(LANGUAGES, [accountId, ids]);
  return answers.map((answer, at) => ({ ...answer, language: languageOf(answer.text, rows[at]?.language ?? null) }));
}

/** Counts the released texts that each keyword of a topic finds, and those that it could have. */
export function explainKeywords(context: ReleaseContext): Handlers<TopicServiceDefinition>['explainKeywords'] {
  return ({ topic, keywords }, call) =>
    withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, released, ...shown }) => {
      const { name, match_names, ...stored } = await findTopic(tx, accountId, topic);
      const tried = Object.entries(keywords).map(([language, { words }]) => [language, checkKeywords(language, words)] as const);
      const keywordsByLanguage = new Map(tried.length > 0 ? tried : Object.entries(stored.keywords));
      const ids = [...released.ids.subarray(0, MAX_TEXTS)];
      const texts = await readWithLanguages(tx, accountId, ids, shown);
      const byLanguage = Map.groupBy(texts, ({ language }) => language);
      const count = (language: string, words: readonly string[], isSuggested: boolean): ExplainedKeyword[] => {
        const hits = hitsOf(words, language, byLanguage.get(language) ?? []);
        return words.map((word) => ({ language, word, texts: hits.get(word) ?? 0, is_suggested: isSuggested }));
      };
      const names = topicNames({ name: match_names[0] ?? name, otherNames: match_names.slice(1) });
      const unnamed = [...byLanguage].filter(([language]) => (keywordsByLanguage.get(language) ?? []).length === 0);
      const nameHits = unnamed.map(([language, texts]) => hitsOf(names, language, texts));
      const suggested = Object.entries(suggestedKeywords(name)).map(
        ([language, words]) =>
          [language, words.filter((word) => keywordsByLanguage.get(language)?.includes(word) !== true)] as const,
      );
      return {
        keywords: [
          ...names.map((word) => ({
            language: '',
            word,
            texts: nameHits.reduce((sum, hits) => sum + (hits.get(word) ?? 0), 0),
            is_suggested: false,
          })),
          ...[...keywordsByLanguage].flatMap(([language, words]) => count(language, words, false)),
          ...suggested.flatMap(([language, words]) => count(language, words, true)),
        ],
        texts: texts.length,
      };
    });
}

function hitsOf(
  words: readonly string[],
  language: string,
  texts: readonly { readonly text: string }[],
): ReadonlyMap<string, number> {
  const topics = words.map((word, topicId) => ({ topicId, name: word, keywords: new Map([[language, [word]]]) }));
  const matcher = compileMatcher(topics, language);
  const hits = new Map<string, number>();
  for (const { text } of texts) {
    const matchedKeywords = new Set(matcher.find(readWords(text, language)).map(({ keyword }) => keyword));
    for (const word of matchedKeywords) hits.set(word, (hits.get(word) ?? 0) + 1);
  }
  return hits;
}

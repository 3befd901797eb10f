import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client } from '@survey/postgres/database.ts';
import type { ExplainedKeyword, TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { readWords } from '@survey/text/words/read-words.ts';
import { readAnswers } from '../release/read-answers.ts';
import { type Released, type ReleaseContext, WHOLE_ACCOUNT, withReleased } from '../release/released-answers.ts';
import { compileMatcher, type KeywordMatcher, topicNames } from './keyword-matcher.ts';
import { checkKeywords, findTopic } from './topics.ts';
import { suggestedKeywords } from './usual-topics.ts';

// In the order of GET /v1/text_responses, which is random. The console shows a part of a page that
// takes less than 2 s.
const MAX_TEXTS = 20_000;
const MAX_CHARACTERS = 4_000_000;
const MAX_MS = 1_200;
// Texts in memory at a time.
const BATCH_SIZE = 50;

// Languages of the respondents, in the order of the answers.
const LANGUAGES = `
select r.language from unnest($2::integer[]) with ordinality asked (id, at)
join text.answer a on a.account_id = $1::bigint and a.id = asked.id
join text.response r on r.account_id = $1::bigint and r.id = a.response_id
order by asked.at`;

type TextMasking = Pick<Released, 'policy' | 'deniedWords'>;

/** Reads answers as GET /v1/text_responses returns them, and the languages in which they are. */
export async function readWithLanguages(tx: Client, accountId: number, ids: readonly number[], masking: TextMasking) {
  const answers = await readAnswers(tx, accountId, ids, masking);
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
      const names = topicNames({ name: match_names[0] ?? name, otherNames: match_names.slice(1) });
      const suggestions = Object.entries(suggestedKeywords(name)).map(
        ([language, words]) =>
          [language, words.filter((word) => keywordsByLanguage.get(language)?.includes(word) !== true)] as const,
      );
      const suggested = new Map(suggestions);
      const isNamed = (language: string): boolean => (keywordsByLanguage.get(language) ?? []).length > 0;
      const hitsByLanguage = new Map<string, KeywordHits>();
      let texts = 0;
      const read = (ids: readonly number[]) => readWithLanguages(tx, accountId, ids, shown);
      for await (const { text, language } of firstTexts(released.ids, read)) {
        const words = isNamed(language) ? keywordsByLanguage.get(language) : names;
        const hits =
          hitsByLanguage.get(language) ?? new KeywordHits([...(words ?? []), ...(suggested.get(language) ?? [])], language);
        hitsByLanguage.set(language, hits);
        hits.add(text);
        texts += 1;
      }
      const explain = ([language, words]: readonly [string, readonly string[]], isSuggested: boolean): ExplainedKeyword[] =>
        words.map((word) => {
          return { language, word, texts: hitsByLanguage.get(language)?.textsWith(word) ?? 0, is_suggested: isSuggested };
        });
      const unnamed = [...hitsByLanguage].flatMap(([language, hits]) => (isNamed(language) ? [] : hits));
      return {
        keywords: [
          ...names.map((word) => {
            return {
              language: '',
              word,
              texts: unnamed.reduce((sum, hits) => sum + hits.textsWith(word), 0),
              is_suggested: false,
            };
          }),
          ...[...keywordsByLanguage].flatMap((entry) => explain(entry, false)),
          ...suggestions.flatMap((entry) => explain(entry, true)),
        ],
        texts,
        released: released.ids.length,
      };
    });
}

/** Reads texts in batches, until it has MAX_TEXTS or MAX_CHARACTERS of them, or time is up. */
export async function* firstTexts<T extends { readonly text: string }>(
  ids: Uint32Array,
  read: (ids: readonly number[]) => Promise<readonly T[]>,
  maxMs = MAX_MS,
): AsyncGenerator<T> {
  const startedAt = performance.now();
  let characters = 0;
  for (let from = 0; from < Math.min(ids.length, MAX_TEXTS) && characters < MAX_CHARACTERS; from += BATCH_SIZE) {
    if (from > 0 && performance.now() - startedAt > maxMs) return;
    for (const one of await read([...ids.subarray(from, from + BATCH_SIZE)])) {
      characters += one.text.length;
      yield one;
    }
    await nextTurn();
  }
}

/** In how many texts of a language each word is. */
class KeywordHits {
  readonly #language: string;
  readonly #matcher: KeywordMatcher;
  readonly #texts = new Map<string, number>();

  constructor(words: readonly string[], language: string) {
    this.#language = language;
    const topics = words.map((word, topicId) => ({ topicId, name: word, keywords: new Map([[language, [word]]]) }));
    this.#matcher = compileMatcher(topics, language);
  }

  add(text: string): void {
    const hits = this.#matcher.find(readWords(text, this.#language));
    for (const word of new Set(hits.map(({ keyword }) => keyword))) this.#texts.set(word, this.textsWith(word) + 1);
  }

  textsWith(word: string): number {
    return this.#texts.get(word) ?? 0;
  }
}

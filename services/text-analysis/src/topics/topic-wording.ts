import { isBlank } from '@survey/formats/is-blank.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { readWords } from '@survey/text/words/read-words.ts';
import ISO6391 from 'iso-639-1';

const MAX_NAME = 255;
const MAX_WORD = 100;
const MAX_WORDS = 500;

/**
 * Validates a topic name; white space and punctuation are part of it (rule TEXTS-TOPICS-3). Throws
 * when it is blank or cannot be stored.
 */
export function checkTopicName(name: string): string {
  if (!isStorable(name) || isBlank(name)) throw invalid('the name of a topic must have a visible character and no U+0000');
  if (name.length > MAX_NAME) throw invalid(`the name of a topic must have at most ${MAX_NAME} characters`);
  return name;
}

/** Normalises the keywords of one language: trimmed and distinct. */
export function checkKeywords(language: string, words: readonly string[]): readonly string[] {
  if (!ISO6391.validate(language)) throw invalid('the language of keywords must be an ISO 639-1 code, such as de');
  const trimmed = [...new Set(words.map((word) => word.trim()))];
  if (trimmed.length > MAX_WORDS) throw invalid(`a topic must have at most ${MAX_WORDS} keywords in a language`);
  if (trimmed.some((word) => word === '' || word.length > MAX_WORD || !isStorable(word)))
    throw invalid(`a keyword must have 1 to ${MAX_WORD} characters and no U+0000`);
  const unmatchable = trimmed.find((word) => readWords(word, language).length === 0);
  if (unmatchable !== undefined) throw invalid(`the keyword "${unmatchable}" can never match: it has no letter, digit or emoji`);
  return trimmed;
}

export function checkDescription(description: string | null | undefined): string | null {
  if (description == null || description === '') return null;
  if (!isStorable(description) || description.length > 10 * MAX_NAME)
    throw invalid(`the description of a topic must have at most ${10 * MAX_NAME} characters and no U+0000`);
  return description;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

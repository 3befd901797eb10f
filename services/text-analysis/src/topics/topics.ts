import type { Queryable } from '@survey/postgres/database.ts';
import type { Topic } from '@survey/proto/text/v1/topics.ts';
import { notFound, invalid } from '@survey/rpc/application-error.ts';
import { isBlank } from '@survey/formats/is-blank.ts';
import { readWords } from '@survey/text/words/read-words.ts';
import ISO6391 from 'iso-639-1';
import { topicKey } from '../rules/topic-key.ts';

/** By ISO 639-1 language. */
export type Keywords = Readonly<Record<string, readonly string[]>>;

export interface TopicRow extends Omit<Topic, 'keywords'> {
  readonly keywords: Keywords;
}

const SELECT = `
select t.id as topic_id, t.name, t.description, t.keywords, t.is_active, coalesce(t.match_names, array[t.name]) as match_names,
  (select count(*) from text.topic_assignment a
   where a.account_id = $1::bigint and a.topic_id = t.id and a.removed_at is null) as answers
from text.topic t
where t.account_id = $1::bigint`;

/** Lists all topics of the account, by name. */
export async function readTopics(db: Queryable, accountId: number): Promise<TopicRow[]> {
  const { rows } = await db.query<TopicRow>(`${SELECT} order by t.name_key`, [accountId]);
  return rows;
}

/** Returns the topic of that name, or undefined. */
export async function lookUpTopic(db: Queryable, accountId: number, name: string): Promise<TopicRow | undefined> {
  const { rows } = await db.query<TopicRow>(`${SELECT} and t.name_key = $2::text`, [accountId, topicKey(name)]);
  return rows[0];
}

/**
 * Returns the topic of that name.
 * @throws ApplicationError `not_found` when there is none.
 */
export async function findTopic(db: Queryable, accountId: number, name: string): Promise<TopicRow> {
  const topic = await lookUpTopic(db, accountId, name);
  if (topic === undefined) throw notFound(`account ${accountId} has no topic with this name: see topic list`);
  return topic;
}

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

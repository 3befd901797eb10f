import type { ListTopicsResponse, Topic, TopicChange } from '@survey/proto/text/v1/topics.ts';
import type { Command } from 'commander';
import { print, renderFields, renderTable } from './output.ts';

/** Renders a topic for programs. */
function topicJson({ topic_id, name, description, keywords, match_names, answers, is_active }: Topic): object {
  const byLanguage = Object.entries(keywords).map(([language, { words }]) => [language, words] as const);
  return {
    topic_id,
    name,
    description: description ?? null,
    keywords: Object.fromEntries(byLanguage),
    match_names,
    answers,
    is_active,
  };
}

export function topicsJson({ topics, taxonomy_version }: ListTopicsResponse): object {
  return { topics: topics.map(topicJson), taxonomy_version };
}

export function renderTopics({ topics }: ListTopicsResponse): string {
  const rows = topics.map((topic) => [topic.name, String(topic.answers), keywordCounts(topic)]);
  return renderTable(['TOPIC', 'ANSWERS', 'KEYWORDS'], rows);
}

/** Renders a topic change for programs. */
function changeJson({ before, after }: TopicChange): object {
  return { before: before === null ? null : topicJson(before), after: after === null ? null : topicJson(after) };
}

function renderTopic(topic: Topic): string {
  const keywords = Object.entries(topic.keywords).map(
    ([language, { words }]) => [`keywords ${language}`, words.join(', ')] as const,
  );
  return renderFields({
    topic: topic.name,
    ...(topic.description == null ? {} : { description: topic.description }),
    answers: String(topic.answers),
    ...(topic.is_active ? {} : { active: 'no' }),
    'found by, without keywords': topic.match_names.join(', '),
    ...Object.fromEntries(keywords),
  });
}

// Such as "de 12, en 20".
function keywordCounts({ keywords }: Topic): string {
  const counts = Object.entries(keywords).map(([language, { words }]) => `${language} ${words.length}`);
  return counts.length === 0 ? '-' : counts.join(', ');
}

/** Prints the result of a topic change. */
export function printChange(command: Command, change: TopicChange): void {
  print(command, changeJson(change), () => (change.after === null ? '' : renderTopic(change.after)));
}

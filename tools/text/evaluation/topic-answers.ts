import { readFileSync } from 'node:fs';
import type { TopicView } from '@survey/text-analysis/topics/categoriser.ts';
import { createEmbeddedCategoriser } from '@survey/text-analysis/topics/embedded-categoriser.ts';
import type { TopicExample } from '@survey/text-analysis/topics/learning/train-topics.ts';
import { suggestedKeywords } from '@survey/text-analysis/topics/usual-topics.ts';
import { microF1 } from './micro-f1.ts';
import { topicOutcomes } from './topic-scores.ts';

/**
 * Returns micro F1 of topics with the keywords that are suggested for their names, on
 * `topic-answers`: a line with `# ` names the topic of the answers below it.
 */
export async function suggestedOnly(language: string): Promise<string> {
  const lines = readFileSync(new URL(`../topic-answers/${language}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const topics: TopicView[] = [];
  const examples: TopicExample[] = [];
  for (const line of lines) {
    if (line.startsWith('# ')) {
      const name = line.slice(2);
      topics.push({ topicId: topics.length, name, keywords: new Map(Object.entries(suggestedKeywords(name))) });
    } else examples.push({ text: line, language, present: [topics.length - 1], absent: [] });
  }
  return microF1(await topicOutcomes(createEmbeddedCategoriser(), topics, examples));
}

import type { SentimentScorer } from '@survey/text-analysis/sentiment/sentiment-scorer.ts';
import { createEmbeddedCategoriser } from '@survey/text-analysis/topics/embedded-categoriser.ts';
import { starterTopics } from '@survey/text-analysis/topics/starter-topics.ts';

const ANSWERS = 5_000;
const SENTENCES = [
  'My manager supports me, but the salary is far too low for the amount of work that we do.',
  'I like the flexible hours and my colleagues; communication from the top could be better.',
  'The tools are outdated, and nobody tells us when the new laptops will come.',
  'Great team, good training, no career path.',
];
// Typical answers: some sentences in varying order, about 150 characters.
const answer = (index: number): string =>
  `${SENTENCES[index % 4] ?? ''} ${SENTENCES[(index >> 2) % 4] ?? ''} ${index}`.slice(0, 154);

const HOSTILE = ['a.b.', '1', 'ä', '- ', 'manager ', ':(', 'Gehaltserhöhungs', '\n', 'a\u0301\u0302', 'not ', 'but ', "l'", '🙂'];

/** Measures answers per second of CPU time, for topics and sentiment together, with 30 topics. */
export async function speed(scorer: SentimentScorer): Promise<number> {
  const starter = starterTopics('en');
  const topics = Array.from({ length: 30 }, (_, topicId) => ({ ...(starter[topicId % starter.length] ?? fail()), topicId }));
  const categoriser = createEmbeddedCategoriser();
  const work = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const text = answer(index);
      for (const { topicId } of await categoriser.assign({ text, language: 'en', topics })) {
        await scorer.score({ text, language: 'en', question: 'What should we improve?', topic: topics[topicId] ?? fail() });
      }
    }
  };
  await work(ANSWERS / 5);
  const before = process.cpuUsage();
  await work(ANSWERS);
  const { user, system } = process.cpuUsage(before);
  return ANSWERS / ((user + system) / 1e6);
}

/** Measures the longest CPU time for 10,000 characters of any text, in milliseconds. */
export async function worstHostile(scorer: SentimentScorer): Promise<number> {
  const topics = starterTopics('en').map((topic, topicId) => ({ ...topic, topicId }));
  const categoriser = createEmbeddedCategoriser();
  let worst = 0;
  for (const language of ['en', 'de']) {
    for (const part of ['warm up', ...HOSTILE]) {
      const text = part.repeat(10_000 / part.length);
      const before = process.cpuUsage();
      await categoriser.assign({ text, language, topics });
      await scorer.score({ text, language, question: text, topic: topics[0] ?? fail() });
      const { user, system } = process.cpuUsage(before);
      if (part !== 'warm up') worst = Math.max(worst, (user + system) / 1e3);
    }
  }
  return worst;
}

function fail(): never {
  throw new Error('expected starter topics');
}

import { z } from 'zod';
import type { Topic, TopicAssignment } from '@survey/proto/intake/v1/intake.ts';
import { label, language, MAX_NAME, revision, text, id, uuid } from './values.ts';

// Per language. The console allows 500.
const MAX_KEYWORDS = 1_000;
const MAX_DESCRIPTION = 10_000;

export const topicLine = z.strictObject({
  kind: z.literal('topic'),
  revision,
  name: label.describe('Unique in the account without case; white space and punctuation count'),
  description: text.max(MAX_DESCRIPTION).nullish(),
  keywords: z
    .record(language, z.array(text.max(MAX_NAME)).max(MAX_KEYWORDS))
    .meta({ propertyNames: { pattern: '^[a-z]{2}$' } })
    .nullish()
    .describe('Words by language that answers about this topic contain'),
});

export type TopicLine = z.output<typeof topicLine>;

export function topicFact(line: TopicLine): Topic {
  const keywords = Object.entries(line.keywords ?? {}).map(([code, words]) => [code, { words }] as const);
  return { ...line, keywords: Object.fromEntries(keywords) };
}

export const topicAssignmentLine = z.strictObject({
  kind: z.literal('topic_assignment'),
  revision,
  response_id: uuid,
  question_id: id,
  topic: label.describe('Name of the topic'),
  sentiment: z.enum(['positive', 'neutral', 'negative']).nullable().describe('Null: not scored'),
  removed: z.boolean().nullish().describe('True: the topic does not apply to the answer'),
});

export type TopicAssignmentLine = z.output<typeof topicAssignmentLine>;

export function topicAssignmentFact(line: TopicAssignmentLine): TopicAssignment {
  return { ...line, removed: line.removed ?? false };
}

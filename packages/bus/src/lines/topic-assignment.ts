import { z } from 'zod';
import type { TopicAssignment } from '@survey/proto/intake/v1/intake.ts';
import { id, label, revision, uuid } from './values.ts';

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

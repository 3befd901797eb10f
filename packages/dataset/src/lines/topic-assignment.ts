import { z } from 'zod';
import type { TopicAssignment } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { id, label, revision, uuid } from '../values.ts';

export const topicAssignmentLine = z.strictObject({
  kind: z.literal('topic_assignment'),
  revision,
  response_id: uuid,
  question_id: id,
  topic: label,
  sentiment: z.enum(['positive', 'neutral', 'negative']).nullable(),
  removed: z.boolean().nullish(),
});

export type TopicAssignmentLine = z.output<typeof topicAssignmentLine>;

export function topicAssignmentFact(line: TopicAssignmentLine): TopicAssignment {
  return { ...line, removed: line.removed ?? false };
}

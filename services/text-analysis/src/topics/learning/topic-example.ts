/**
 * Assignments and removals of an account admin for an answer; topics in neither list were not
 * reviewed.
 */
export interface TopicExample {
  readonly text: string;
  readonly language: string;
  readonly present: readonly number[];
  readonly absent: readonly number[];
}

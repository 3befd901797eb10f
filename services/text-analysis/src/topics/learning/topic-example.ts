/** What an administrator's assignments and removals say of an answer; topics in neither list were not looked at. */
export interface TopicExample {
  readonly text: string;
  readonly language: string;
  readonly present: readonly number[];
  readonly absent: readonly number[];
}

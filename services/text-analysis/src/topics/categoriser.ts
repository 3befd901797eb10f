import type { AssignedTopic } from './found-topics.ts';

/** Topic with the account admins' keywords by ISO 639-1 language. */
export interface TopicView {
  readonly topicId: number;
  readonly name: string;
  // Further names that it is matched by: its earlier names, and names of merged topics.
  readonly otherNames?: readonly string[];
  readonly keywords: ReadonlyMap<string, readonly string[]>;
}

/** Finds the topics of an answer. Deterministic for the same answer, topics and version. */
export interface Categoriser {
  // Changes whenever the same answer could get other topics.
  readonly version: string;
  /** Returns scores in (0, 1]; a topic that is missing does not apply. */
  assign(answer: {
    readonly text: string;
    readonly language: string;
    // Pass the same array for all answers of an account: compiled matchers are cached by its
    // identity.
    readonly topics: readonly TopicView[];
  }): Promise<readonly AssignedTopic[]>;
}

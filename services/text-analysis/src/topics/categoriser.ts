/** A topic of an account as the analysis sees it: its keywords are the administrator's, by ISO 639-1 language code. */
export interface TopicView {
  readonly topicId: number;
  readonly name: string;
  readonly description: string | undefined;
  readonly keywords: ReadonlyMap<string, readonly string[]>;
}

/** Finds the topics that an answer speaks of. Same answer, topics and version: same result. */
export interface Categoriser {
  // Changes whenever the same answer could get other topics.
  readonly version: string;
  /** Scores lie in (0, 1]; a topic that is not in the list does not apply. */
  assign(answer: {
    readonly text: string;
    readonly language: string;
    // Pass the same array for all answers of an account: what is compiled from it is kept as long as it lives.
    readonly topics: readonly TopicView[];
  }): Promise<readonly AssignedTopic[]>;
}

export interface AssignedTopic {
  readonly topicId: number;
  readonly score: number;
}

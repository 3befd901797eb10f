import type { RequestedQuestion } from '../rules/requested-questions.ts';
import type { QuestionTally } from '../rules/score.ts';
import type { AnswerRow } from './answer-rows.ts';
import { AnswerColumn } from './column.ts';
import { RespondentSet } from './respondent-set.ts';

export interface Period {
  // Microseconds since 1970, both included.
  readonly fromUs: number;
  readonly toUs: number;
}

/** What a score is made of. */
export interface ScoreInputs {
  readonly tallies: readonly QuestionTally[];
  // Distinct people behind the answers tallied.
  readonly respondents: number;
}

export interface ChangedAnswer extends AnswerRow {
  readonly questionId: number;
  // Of the response that brought it, or of the correction that took it away.
  readonly sequence: number;
}

export interface RemovedAnswer extends ChangedAnswer {
  // Of the response that had brought it.
  readonly addedSequence: number;
}

/** What has changed since an earlier sequence: as of one snapshot, in which the highest sequence is `sequence`. */
export interface AnswerChanges {
  readonly sequence: number;
  readonly respondents: number;
  // Numbered on from those that are known.
  readonly choices: readonly { readonly id: number; readonly optionIds: readonly number[] }[];
  readonly added: readonly ChangedAnswer[];
  readonly removed: readonly RemovedAnswer[];
}

const MIN_CHUNK = 4_096;

/** All numeric answers of an account in memory, as they were when its changes had the number `sequence`. */
export class AccountAnswers {
  sequence: number;
  respondents: number;
  // Of the database, in which each sequence is assigned once.
  readonly timeline: number;
  readonly #choices: (readonly number[])[];
  readonly #columns = new Map<number, AnswerColumn>();

  constructor(state: { sequence: number; timeline: number; respondents: number; choices: readonly (readonly number[])[] }) {
    this.timeline = state.timeline;
    this.sequence = state.sequence;
    this.respondents = state.respondents;
    this.#choices = [...state.choices];
  }

  get choices(): number {
    return this.#choices.length;
  }

  get bytes(): number {
    let bytes = 0;
    for (const column of this.#columns.values()) bytes += column.bytes;
    return bytes;
  }

  column(questionId: number): AnswerColumn {
    const known = this.#columns.get(questionId);
    if (known !== undefined) return known;
    const column = new AnswerColumn();
    this.#columns.set(questionId, column);
    return column;
  }

  /**
   * Takes in what has changed. The changes may begin earlier than what is held: what is held already is passed over. Throws when they do
   * not fit what is held, which then is good for nothing.
   */
  follow(changes: AnswerChanges): void {
    for (const { id, optionIds } of changes.choices) this.#choices[id] = optionIds;
    const added = changes.added.filter(({ sequence }) => sequence > this.sequence);
    const removed = changes.removed.filter((row) => row.sequence > this.sequence && row.addedSequence <= this.sequence);
    // Until it is done: nobody must count on half of it.
    this.sequence = Infinity;
    const addedTo = Map.groupBy(added, ({ questionId }) => questionId);
    const removedFrom = Map.groupBy(removed, ({ questionId }) => questionId);
    for (const questionId of new Set([...addedTo.keys(), ...removedFrom.keys()])) {
      this.column(questionId).change(removedFrom.get(questionId) ?? [], addedTo.get(questionId) ?? []);
    }
    this.sequence = changes.sequence;
    this.respondents = changes.respondents;
  }

  tally(asked: readonly RequestedQuestion[], { fromUs, toUs }: Period): ScoreInputs {
    const people = new RespondentSet(this.respondents);
    const optionsOf = (choice: number): readonly number[] => this.#choices[choice] ?? [];
    const chunkLength = chunkLengthFor(this.respondents);
    const tallies = asked.flatMap(({ id, scale }) => {
      const column = this.#columns.get(id);
      if (column === undefined || scale === undefined) return [];
      return [{ ...column.tally(fromUs, toUs, { scale, optionsOf, people, chunkLength }), denominator: scale.denominator }];
    });
    return { tallies, respondents: people.size };
  }
}

// A set of all people takes at most a byte for each answer of a chunk, and a quarter of the steps that its answers take.
function chunkLengthFor(respondents: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(MIN_CHUNK, respondents / 8)));
}

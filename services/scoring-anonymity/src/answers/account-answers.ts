import type { RequestedQuestion } from '../rules/requested-questions.ts';
import type { Period, ScoreInputs } from '../rules/score.ts';
import type { AnswerChanges } from './account-snapshot.ts';
import { AnswerColumn } from './column.ts';
import { RespondentSet } from './respondent-set.ts';

const MIN_CHUNK = 4_096;

/** All numeric answers of an account in memory, as of the change number `sequence`. */
export class AccountAnswers {
  sequence: number;
  respondents: number;
  // Timeline of the database; each sequence is assigned once per timeline.
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
    const existing = this.#columns.get(questionId);
    if (existing !== undefined) return existing;
    const column = new AnswerColumn();
    this.#columns.set(questionId, column);
    return column;
  }

  /**
   * Applies changes; those that are already applied are ignored. After an error the object is
   * unusable.
   * @throws when the changes do not match the cached answers
   */
  follow(changes: AnswerChanges): void {
    for (const { id, optionIds } of changes.choices) this.#choices[id] = optionIds;
    const added = changes.added.filter(({ sequence }) => sequence > this.sequence);
    const removed = changes.removed.filter((row) => row.sequence > this.sequence && row.addedSequence <= this.sequence);
    // Marks the state as inconsistent until all changes are applied.
    this.sequence = Infinity;
    const addedTo = Map.groupBy(added, ({ questionId }) => questionId);
    const removedFrom = Map.groupBy(removed, ({ questionId }) => questionId);
    for (const questionId of new Set([...addedTo.keys(), ...removedFrom.keys()])) {
      this.column(questionId).change(removedFrom.get(questionId) ?? [], addedTo.get(questionId) ?? []);
    }
    this.sequence = changes.sequence;
    this.respondents = changes.respondents;
  }

  tally(questions: readonly RequestedQuestion[], { fromUs, toUs }: Period): ScoreInputs {
    const people = new RespondentSet(this.respondents);
    const optionsOf = (choice: number): readonly number[] => this.#choices[choice] ?? [];
    const chunkLength = chunkLengthFor(this.respondents);
    const tallies = questions.flatMap(({ id, scale }) => {
      const column = this.#columns.get(id);
      if (column === undefined || scale === undefined) return [];
      return [{ ...column.tally(fromUs, toUs, { scale, optionsOf, people, chunkLength }), denominator: scale.denominator }];
    });
    return { tallies, respondents: people.size };
  }
}

// Keeps the respondent set of a chunk at or below two bytes per answer: reading fewer answers at
// both ends of a period outweighs merging more sets.
function chunkLengthFor(respondents: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(MIN_CHUNK, respondents / 16)));
}

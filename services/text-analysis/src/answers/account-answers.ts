import type { Masking } from '../rules/masking-policy.ts';
import { AnswerColumns, type ColumnRow } from './answer-columns.ts';
import type { AnswerRow } from './answer-row.ts';
import { OptionSets } from './option-sets.ts';
import { Selection, type Filter } from './selection.ts';

export interface Cycle {
  readonly cycleId: string;
  readonly surveyId: number;
}

/** What has changed since an earlier sequence: as of one snapshot, in which the highest sequence is `sequence`. */
export interface AnswerChanges {
  readonly sequence: number;
  readonly people: number;
  readonly textQuestionIds: readonly number[];
  // Numbered on from those that are known.
  readonly cycles: readonly Cycle[];
  readonly optionSets: readonly (readonly number[])[];
  readonly rows: readonly AnswerRow[];
}

/** Which answers are asked for; what is undefined does not restrict. */
export interface Scope {
  readonly surveyIds: ReadonlySet<number> | undefined;
  // In lower case.
  readonly cycleIds: ReadonlySet<string> | undefined;
  readonly questionIds: ReadonlySet<number> | undefined;
  readonly optionIds: ReadonlySet<number> | undefined;
}

// States of an answer; above them, one for each policy that something was masked by.
const GONE = 0;
const IMPORTED = 1;
const UNMASKED = 2;
const MAX_STATES = 256;
// Selections of the last questions are kept: whoever reads page after page asks the same one.
const RETENTION_SELECTIONS = 2;

/** What decides which answers of an account are shown, in memory, as it was when its changes had the number `sequence`. */
export class AccountAnswers {
  sequence = 0;
  // Of the database, in which each sequence and each answer id is assigned once.
  readonly timeline: number;
  readonly cycles: Cycle[] = [];
  readonly optionSets = new OptionSets();
  readonly #columns = new AnswerColumns();
  readonly #questions = new Map<number, number>();
  readonly #states = new Map<number, number>();
  readonly #selections = new Map<string, Selection>();
  #textQuestionIds: ReadonlySet<number> = new Set();
  #people = 0;

  constructor(timeline: number) {
    this.timeline = timeline;
  }

  get bytes(): number {
    const selections = [...this.#selections.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return this.#columns.bytes + this.optionSets.bytes + selections;
  }

  /** Takes one in whose sort key is not before those that are there. */
  append(row: AnswerRow): void {
    this.#columns.append(this.#inColumns(row));
  }

  /** Follows what has changed. Throws when it does not fit what is held, which then is good for nothing. */
  follow(changes: AnswerChanges): void {
    // Until it is done: nobody must count on half of it.
    this.sequence = Infinity;
    this.#selections.clear();
    this.cycles.push(...changes.cycles);
    for (const optionIds of changes.optionSets) this.optionSets.push(optionIds);
    this.#textQuestionIds = new Set(changes.textQuestionIds);
    this.#people = changes.people;
    this.#change(changes.rows);
    this.sequence = changes.sequence;
  }

  /** Frees what can be computed or allocated again: kept selections and reserved capacity. */
  trim(): void {
    this.#selections.clear();
    this.#columns.trim();
  }

  /** The answers in scope that masking lets out, with the people behind them, cycle by cycle. */
  select(scope: Scope, masking: Masking): Selection {
    const key = JSON.stringify([...Object.values(scope).map((set?: ReadonlySet<unknown>) => set && [...set]), masking]);
    const known = this.#selections.get(key);
    if (known !== undefined) return known;
    const selection = new Selection(this.#columns, this.#filter(scope, masking), this.#people);
    this.#selections.set(key, selection);
    for (const oldest of this.#selections.keys()) {
      if (this.#selections.size <= RETENTION_SELECTIONS) break;
      this.#selections.delete(oldest);
    }
    return selection;
  }

  #change(rows: readonly AnswerRow[]): void {
    const added: ColumnRow[] = [];
    for (const row of rows) {
      const index = this.#columns.find(row.sortKey, row.id);
      if (index >= 0) this.#columns.put(index, this.#inColumns(row));
      else if (!row.gone) added.push(this.#inColumns(row));
    }
    this.#columns.insert(added.sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1)));
  }

  #inColumns({ questionId, imported, policy, gone, ...row }: AnswerRow): ColumnRow {
    return { ...row, question: this.#questionOf(questionId), state: this.#stateOf(gone, imported, policy) };
  }

  #questionOf(questionId: number): number {
    const known = this.#questions.get(questionId);
    if (known !== undefined) return known;
    this.#questions.set(questionId, this.#questions.size);
    return this.#questions.size - 1;
  }

  #stateOf(gone: boolean, imported: boolean, policy: number): number {
    if (gone) return GONE;
    if (imported) return IMPORTED;
    if (policy === 0) return UNMASKED;
    const known = this.#states.get(policy);
    if (known !== undefined) return known;
    const state = UNMASKED + 1 + this.#states.size;
    if (state >= MAX_STATES) throw new Error('masked by too many policies');
    this.#states.set(policy, state);
    return state;
  }

  #filter({ surveyIds, cycleIds, questionIds, optionIds }: Scope, masking: Masking): Filter {
    const isIn = <T>(set: ReadonlySet<T> | undefined, one: T): boolean => set === undefined || set.has(one);
    const isAsked = (id: number): boolean => this.#textQuestionIds.has(id) && isIn(questionIds, id);
    return {
      cycles: Uint8Array.from(this.cycles, ({ cycleId, surveyId }) => +(isIn(cycleIds, cycleId) && isIn(surveyIds, surveyId))),
      questions: Uint8Array.from(this.#questions.keys(), (id) => +isAsked(id)),
      optionSets: optionIds && this.optionSets.holding(optionIds),
      states: this.#releasable(masking),
    };
  }

  #releasable(masking: Masking): Uint8Array {
    const states = new Uint8Array(MAX_STATES);
    if (masking === 'withheld') return states;
    if (masking === 'verbatim') return states.fill(1, IMPORTED);
    states[IMPORTED] = 1;
    const masked = this.#states.get(masking.policy);
    if (masked !== undefined) states[masked] = 1;
    return states;
  }
}

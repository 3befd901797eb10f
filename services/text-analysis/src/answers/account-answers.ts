import type { Masking } from '../rules/masking-policy.ts';
import type { AnswerChanges, AnswerRow, Block, Cycle } from './account-snapshot.ts';
import { AnswerColumns, type ColumnRow } from './answer-columns.ts';
import { type Filter, Selection, type UnitKind } from './selection.ts';

/** Answers that a request covers; an undefined field does not restrict. */
export interface Scope {
  readonly surveyIds: ReadonlySet<number> | undefined;
  // Lower case.
  readonly cycleIds: ReadonlySet<string> | undefined;
  readonly questionIds: ReadonlySet<number> | undefined;
  readonly optionIds: ReadonlySet<number> | undefined;
}

/** How an account's settings let its answers be shown. */
export interface ShownAs {
  readonly masking: Masking;
  readonly kind: UnitKind;
}

// States of an answer. Every masking policy that an answer was masked by has a state above these.
const GONE = 0;
const IMPORTED = 1;
const UNMASKED = 2;
const WITHHELD = 3;
const MAX_STATES = 256;
const NO_STATE = new Uint8Array(MAX_STATES);
// A client that reads page after page repeats one selection, so the latest ones are cached.
const RETENTION_SELECTIONS = 2;

/** In-memory columns that decide which answers of an account are shown, as of change `sequence`. */
export class AccountAnswers {
  sequence = 0;
  // Database timeline; it assigns each sequence and each answer id only once.
  readonly timeline: number;
  // As of the latest database snapshot of any call.
  shownAs: ShownAs | undefined;
  readonly cycles: Cycle[] = [];
  readonly blocks: Block[] = [];
  readonly optionSets = new OptionSets();
  readonly #columns = new AnswerColumns();
  readonly #questions = new Map<number, number>();
  readonly #states = new Map<number, number>();
  readonly #selections = new Map<string, Selection>();
  #textQuestionIds: ReadonlySet<number> = new Set();
  #respondents = 0;

  constructor(timeline: number) {
    this.timeline = timeline;
  }

  get bytes(): number {
    const selections = [...this.#selections.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return this.#columns.bytes + this.optionSets.bytes + selections;
  }

  /** Appends an answer. Its sort key must not be lower than any before it. */
  append(row: AnswerRow): void {
    this.#columns.append(this.#inColumns(row));
  }

  /**
   * Applies changes.
   * @throws Error when they do not fit the cached answers, which must then be evicted.
   */
  follow(changes: AnswerChanges): void {
    // Marks the cached answers as unusable while the changes are only partly applied.
    this.sequence = Infinity;
    this.#selections.clear();
    const { known } = changes;
    for (const cycle of changes.cycles.slice(this.cycles.length - known.cycles)) this.cycles.push(cycle);
    for (const block of changes.blocks.slice(this.blocks.length - known.blocks)) this.blocks.push(block);
    for (const optionIds of changes.optionSets.slice(this.optionSets.length - known.optionSets)) this.optionSets.push(optionIds);
    this.#textQuestionIds = new Set(changes.textQuestionIds);
    this.#respondents = changes.respondents;
    this.#change(changes.rows);
    this.sequence = changes.sequence;
  }

  /** Frees what can be computed or allocated again: cached selections and reserved capacity. */
  trim(): void {
    this.#selections.clear();
    this.#columns.trim();
  }

  /** Returns the answers in scope that masking permits, with their counts per unit. */
  select(scope: Scope, masking: Masking, kind: UnitKind): Selection {
    const key = JSON.stringify([...Object.values(scope).map((set?: ReadonlySet<unknown>) => set && [...set]), masking, kind]);
    const cached = this.#selections.get(key);
    if (cached !== undefined) return cached;
    const selection = new Selection(this.#columns, this.#filter(scope, masking, kind), this.#respondents);
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

  #inColumns({ questionId, imported, policy, gone, withheld, ...row }: AnswerRow): ColumnRow {
    const state = !gone && withheld ? WITHHELD : this.#stateOf(gone, imported, policy);
    return { ...row, question: this.#questionOf(questionId), state };
  }

  #questionOf(questionId: number): number {
    const ordinal = this.#questions.get(questionId);
    if (ordinal !== undefined) return ordinal;
    this.#questions.set(questionId, this.#questions.size);
    return this.#questions.size - 1;
  }

  #stateOf(gone: boolean, imported: boolean, policy: number): number {
    if (gone) return GONE;
    if (imported) return IMPORTED;
    if (policy === 0) return UNMASKED;
    const existing = this.#states.get(policy);
    if (existing !== undefined) return existing;
    const state = WITHHELD + 1 + this.#states.size;
    if (state >= MAX_STATES) throw new Error('too many masking policies');
    this.#states.set(policy, state);
    return state;
  }

  #filter(scope: Scope, masking: Masking, kind: UnitKind): Filter {
    const { surveyIds, cycleIds, questionIds, optionIds } = scope;
    const isIn = <T>(set: ReadonlySet<T> | undefined, one: T): boolean => set === undefined || set.has(one);
    const isAsked = (id: number): boolean => this.#textQuestionIds.has(id) && isIn(questionIds, id);
    const cycles = Uint8Array.from(
      this.cycles,
      ({ cycleId, surveyId }) => +(isIn(cycleIds, cycleId) && isIn(surveyIds, surveyId)),
    );
    const questions = Uint8Array.from(this.#questions.keys(), (id) => +isAsked(id));
    const states = this.#releasable(masking);
    if (kind === 'cycles') {
      const optionSets = optionIds && this.optionSets.holding(optionIds);
      return { kind, units: cycles, questions, optionSets, states, withholding: NO_STATE, hidden: WITHHELD };
    }
    // A filter selects the blocks of which every group matches (rule GUARD-TEXTS-3).
    const matches = ({ optionGroups }: Block): boolean =>
      optionIds === undefined || optionGroups.every((group) => group.some((id) => optionIds.has(id)));
    const units = Uint8Array.from(
      this.blocks,
      (block) => +(cycles[block.cycle] === 1 && isAsked(block.questionId) && matches(block)),
    );
    return {
      kind,
      units,
      questions,
      optionSets: undefined,
      states,
      withholding: states.map((is, state) => +(state !== GONE && is === 0)),
      hidden: WITHHELD,
    };
  }

  #releasable(masking: Masking): Uint8Array {
    const states = new Uint8Array(MAX_STATES);
    if (masking === 'withheld') return states;
    if (masking === 'verbatim') return states.fill(1, IMPORTED);
    states[IMPORTED] = 1;
    states[WITHHELD] = 1;
    const masked = this.#states.get(masking.policy);
    if (masked !== undefined) states[masked] = 1;
    return states;
  }
}

/** Sets of attribute options by ordinal, stored in one array. */
class OptionSets {
  #options: Uint32Array = new Uint32Array(16);
  // Exclusive end index of each set.
  readonly #ends: number[] = [];

  get length(): number {
    return this.#ends.length;
  }

  get bytes(): number {
    return this.#options.byteLength + 8 * this.#ends.length;
  }

  /** Appends a set under the next ordinal. */
  push(optionIds: readonly number[]): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + optionIds.length;
    if (end > this.#options.length) {
      const larger = new Uint32Array(2 * end);
      larger.set(this.#options);
      this.#options = larger;
    }
    this.#options.set(optionIds, start);
    this.#ends.push(end);
  }

  /** Returns, by ordinal, 1 for each set that contains one of these options. */
  holding(optionIds: ReadonlySet<number>): Uint8Array {
    const holds = new Uint8Array(this.length);
    let at = 0;
    for (const [ordinal, end] of this.#ends.entries()) {
      for (; at < end; at += 1) if (optionIds.has(this.#options[at] ?? 0)) holds[ordinal] = 1;
    }
    return holds;
  }
}

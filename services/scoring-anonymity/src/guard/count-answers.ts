import type { RespondentGroup } from '../rules/disclosure-guard.ts';
import type { BlockQuestion, MemberGroup } from './cycle-answers.ts';

/** Answers to one question by a group of respondents of a cycle that are in no block. */
export interface FreeGroup extends RespondentGroup {
  readonly optionIds: readonly number[];
  // Sorted.
  readonly ordinals: readonly number[];
  // Numbers of answers by choice.
  readonly choices: ReadonlyMap<number, number>;
}

/** The respondents of a cycle: ordinals sorted, and the group of each. */
export class Members {
  readonly groups: readonly MemberGroup[];
  readonly ordinals: Uint32Array;
  readonly groupOf: Uint32Array;
  readonly #indexes: Uint32Array;

  /** @param respondents of the account */
  constructor(groups: readonly MemberGroup[], respondents: number) {
    this.groups = groups;
    this.ordinals = Uint32Array.from(groups.flatMap((group) => group.respondents)).sort();
    this.#indexes = new Uint32Array(respondents);
    for (const [index, ordinal] of this.ordinals.entries()) this.#indexes[ordinal] = index;
    this.groupOf = new Uint32Array(this.ordinals.length);
    for (const [number, group] of groups.entries())
      for (const ordinal of group.respondents) this.groupOf[this.indexOf(ordinal)] = number;
  }

  indexOf(ordinal: number): number {
    return this.#indexes[ordinal] ?? 0;
  }
}

/**
 * Counts the answers to one question in one cycle that are in no block, with 4 bytes for each
 * respondent of the cycle.
 */
export class AnswerCount {
  readonly question: BlockQuestion;
  readonly #members: Members;
  readonly #answers: Uint32Array;
  readonly #choices: Map<number, number>[] = [];

  constructor(question: BlockQuestion, members: Members) {
    this.question = question;
    this.#members = members;
    this.#answers = new Uint32Array(members.ordinals.length);
  }

  /** Late answers, whose cell already has a block, are one group without options. */
  get isLate(): boolean {
    return this.question.nextResponse !== null;
  }

  add(response: number, respondent: number, choice: number): void {
    if (response < (this.question.nextResponse ?? 0) || this.question.uncountedChoices.includes(choice)) return;
    const member = this.#members.indexOf(respondent);
    this.#answers[member] = (this.#answers[member] ?? 0) + 1;
    const choices = (this.#choices[this.#groupOf(member)] ??= new Map<number, number>());
    choices.set(choice, (choices.get(choice) ?? 0) + 1);
  }

  /** Returns the groups with answers. */
  groups(): FreeGroup[] {
    const groups = this.#choices.map((choices, number) => ({
      optionIds: this.isLate ? [] : (this.#members.groups[number]?.optionIds ?? []),
      ordinals: [] as number[],
      choices,
      answers: 0,
      mostAnswers: 0,
    }));
    for (let member = 0; member < this.#answers.length; member += 1) {
      const answers = this.#answers[member] ?? 0;
      const group = groups[this.#groupOf(member)];
      if (answers === 0 || group === undefined) continue;
      group.ordinals.push(this.#members.ordinals[member] ?? 0);
      group.answers += answers;
      group.mostAnswers = Math.max(group.mostAnswers, answers);
    }
    return groups.flatMap((group) => (group.answers === 0 ? [] : [{ ...group, respondents: group.ordinals.length }]));
  }

  #groupOf(member: number): number {
    return this.isLate ? 0 : (this.#members.groupOf[member] ?? 0);
  }
}

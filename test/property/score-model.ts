import { asIncoming, type IncomingFact } from '@survey/bus/facts/fact.ts';
import type { AnswerOption, Fact, Question, Response, Survey } from '@survey/proto/intake/v1/intake.ts';
import { normaliseInstant } from '@survey/formats/instant.ts';

/** Computes the expected GET /v1/scores from all facts, from scratch on every call. */
export type ModelScore =
  | { readonly unit: string; readonly respondents: number; readonly score: number | null }
  // These questions cannot be scored.
  | '400';

export interface ModelQuery {
  readonly questionIds: readonly number[];
  // Normalised by normaliseInstant, so that they compare as text.
  readonly from: string;
  readonly to: string;
}

interface Frozen {
  readonly person: number;
  // Undefined while the employee is unknown.
  readonly optionIds: readonly number[] | undefined;
}

/** An account as the list of its facts. */
export class ScoreModel {
  #facts: IncomingFact[] = [];
  readonly #erased = new Set<number>();
  readonly #importIds = new Map<string, number>();
  readonly #optionIds = new Map<number, readonly number[]>();
  readonly #frozen = new Map<string, Frozen>();

  state(facts: readonly Fact[]): void {
    const isErased = ({ response }: Fact): boolean => response != null && this.#erased.has(this.#personOf(response) ?? 0);
    this.#facts.push(...facts.filter((fact) => !isErased(fact)).map(asIncoming));
    this.#freeze();
  }

  bring({ id, importId, optionIds }: { id: number; importId: string | null; optionIds: readonly number[] }): void {
    if (importId !== null) this.#importIds.set(importId, id);
    this.#optionIds.set(id, optionIds);
    this.#freeze();
  }

  move(id: number, optionIds: readonly number[]): void {
    this.#optionIds.set(id, optionIds);
  }

  /** Anonymous responses count as before, but lose the digest that orders facts of one revision. */
  erase(id: number, answers: 'anonymise' | 'delete'): void {
    if (this.#erased.has(id)) return;
    this.#erased.add(id);
    for (const [responseId, response] of this.#responses()) {
      if (this.#personOf(response) !== id) continue;
      const about = this.#facts.filter((incoming) => incoming.fact.response?.id === responseId);
      const isKnown = ({ fact }: IncomingFact): boolean => fact.response != null && this.#personOf(fact.response) !== undefined;
      const newest = about.filter(isKnown).toSorted(compare).at(-1);
      if (newest === undefined) continue;
      const deferred = about.filter((incoming) => !isKnown(incoming) && compare(incoming, newest) > 0);
      const kept = answers === 'anonymise' ? [{ ...newest, digest: Buffer.alloc(0) }] : [];
      this.#facts = [...this.#facts.filter((incoming) => !about.includes(incoming)), ...kept, ...deferred];
      if (answers === 'delete') this.#frozen.delete(responseId);
    }
  }

  score({ questionIds, from, to }: ModelQuery): ModelScore {
    const surveys = this.#newest(({ survey }) => survey ?? undefined);
    const known = this.#newest(({ question }) => question ?? undefined);
    const asked = [...new Set(questionIds)].map((id) => known.get(String(id)));
    const thresholds: number[] = [];
    for (const question of asked) {
      const survey = question && surveys.get(String(question.survey_id));
      if (question === undefined || survey === undefined || question.type === 'textfield') return '400';
      thresholds.push(thresholdOf(survey));
    }
    const questions = asked.filter((question) => question !== undefined);
    const kinds = new Set(questions.map(({ type }) => type === 'nps'));
    if (kinds.size !== 1) return '400';
    const people = new Set<number>();
    const means: Fraction[] = [];
    for (const question of questions) {
      const values: Fraction[] = [];
      for (const [id, response] of this.#responses()) {
        const at = normaliseInstant(response.submitted_at) ?? '';
        const frozen = this.#frozen.get(id);
        if (at < from || at > to || frozen === undefined) continue;
        const chosen = response.answers.find(({ question_id }) => question_id === question.id);
        const value = chosen && this.#valueOf(question, chosen.option_ids);
        if (value === undefined) continue;
        values.push(value);
        people.add(frozen.person);
      }
      if (values.length > 0) means.push(mean(values));
    }
    const unit = kinds.has(true) ? 'enps' : 'favorability_percent';
    const isBelow = people.size < Math.max(...thresholds);
    return { unit, respondents: people.size, score: isBelow ? null : inPercent(mean(means)) };
  }

  #freeze(): void {
    for (const [id, response] of this.#responses()) {
      const person = this.#personOf(response) ?? 0;
      const before = this.#frozen.get(id);
      if (before?.person === person && before.optionIds !== undefined) continue;
      this.#frozen.set(id, { person, optionIds: this.#optionIds.get(person) });
    }
  }

  // The newest revision of each response of a known employee.
  #responses(): Map<string, Response> {
    return this.#newest(({ response }) => (response != null && this.#personOf(response) !== undefined ? response : undefined));
  }

  #personOf({ employee }: Response): number | undefined {
    const id = employee?.id ?? this.#importIds.get(employee?.import_id ?? '');
    return id !== undefined && this.#optionIds.has(id) ? id : undefined;
  }

  // An option is as the latest revision that has it says; one that was removed has lost its flags.
  #valueOf({ id, type, answer_options }: Question, optionIds: readonly number[]): Fraction | undefined {
    const newest = this.#newestOfAll(({ question }) => (question?.id === id ? question.answer_options : []));
    const chosen = [...newest.values()].filter((option) => optionIds.includes(option.id) && option.counts !== false);
    const values = chosen.map(({ value }) => (type === 'nps' ? promoter(value) : normalised(value, answer_options)));
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : mean(known);
  }

  #newest<T extends { id: number | string }>(select: (fact: Fact) => T | undefined): Map<string, T> {
    return this.#newestOfAll((fact) => [select(fact)].filter((thing) => thing !== undefined));
  }

  #newestOfAll<T extends { id: number | string }>(select: (fact: Fact) => readonly T[]): Map<string, T> {
    const newest = new Map<string, { incoming: IncomingFact; thing: T }>();
    for (const incoming of this.#facts) {
      for (const thing of select(incoming.fact)) {
        const before = newest.get(String(thing.id))?.incoming;
        if (before === undefined || compare(incoming, before) > 0) newest.set(String(thing.id), { incoming, thing });
      }
    }
    return new Map([...newest].map(([id, { thing }]) => [id, thing]));
  }
}

function compare(a: IncomingFact, b: IncomingFact): number {
  return a.revision - b.revision || Buffer.compare(a.digest, b.digest);
}

function thresholdOf({ score_threshold }: Survey): number {
  if (score_threshold == null || score_threshold <= 0) return 5;
  return score_threshold < 3 ? 3 : score_threshold;
}

type Fraction = readonly [numerator: bigint, denominator: bigint];

function promoter(value: number): Fraction {
  if (value >= 9) return [1n, 1n];
  return value <= 6 ? [-1n, 1n] : [0n, 1n];
}

// Test options have whole numbers, and at most one minimum and one maximum that count.
function normalised(value: number, options: readonly AnswerOption[]): Fraction | undefined {
  const counting = options.filter(({ counts }) => counts !== false);
  const best = counting.find((option) => option.is_maximum)?.value;
  const worst = counting.find((option) => option.is_minimum)?.value;
  if (best === undefined || worst === undefined || best === worst) return undefined;
  const within = Math.min(Math.max(value, Math.min(best, worst)), Math.max(best, worst));
  const [part, whole] = [BigInt(within - worst), BigInt(best - worst)];
  return whole < 0n ? [-part, -whole] : [part, whole];
}

function mean(values: readonly Fraction[]): Fraction {
  const [numerator, denominator] = values.reduce(([a, b], [c, d]) => [a * d + c * b, b * d], [0n, 1n]);
  return [numerator, denominator * BigInt(values.length)];
}

// Two decimals, halves rounded away from zero, by long division.
function inPercent([numerator, denominator]: Fraction): number {
  const sign = numerator < 0n ? -1 : 1;
  const hundredths = ((numerator < 0n ? -numerator : numerator) * 10_000n) / denominator;
  const rest = ((numerator < 0n ? -numerator : numerator) * 10_000n) % denominator;
  const rounded = rest * 2n >= denominator ? hundredths + 1n : hundredths;
  return rounded === 0n ? 0 : (sign * Number(rounded)) / 100;
}

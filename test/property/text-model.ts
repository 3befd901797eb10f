import { asIncoming, type IncomingFact } from '@survey/bus/facts/fact.ts';
import type { Fact, Response } from '@survey/proto/intake/v1/intake.ts';
import type { Newcomer } from './scoring-database.ts';
import type { StoredSettings } from './text-database.ts';

export interface TextQuery {
  readonly surveyIds?: readonly number[];
  readonly cycleIds?: readonly string[];
  readonly questionIds?: readonly number[];
  readonly optionIds?: readonly number[];
}

interface ModelAnswer {
  // `<response id> <question id>`.
  readonly key: string;
  readonly text: string;
  // By name.
  readonly topics: readonly { readonly name: string; readonly sentiment: string | null }[];
}

interface Standing {
  readonly key: string;
  readonly response: Response;
  readonly questionId: number;
  readonly person: number;
  readonly optionIds: readonly number[] | undefined;
  readonly text: string;
}

interface Mask {
  readonly categories: string;
  // Texts that have been masked.
  readonly text: string;
}

const ATTRIBUTE_OF: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2 };

/** Computes the expected GET /v1/text_responses from all facts, from scratch on every call. */
export class TextModel {
  #facts: IncomingFact[] = [];
  readonly #erased = new Set<number>();
  readonly #importIds = new Map<string, number>();
  readonly #optionIds = new Map<number, readonly number[]>();
  readonly #frozen = new Map<string, { person: number; optionIds: readonly number[] | undefined }>();
  readonly #masks = new Map<string, Mask>();
  #settings: StoredSettings = { effect: 'off', categories: [], filterAttribute: null };

  state(facts: readonly Fact[]): void {
    const isErased = ({ response }: Fact): boolean => response != null && this.#erased.has(this.#personOf(response) ?? 0);
    this.#facts.push(...facts.filter((fact) => !isErased(fact)).map(asIncoming));
    this.#freeze();
    this.#forgetMasks();
  }

  bring({ id, importId, optionIds }: Newcomer): void {
    if (importId !== null) this.#importIds.set(importId, id);
    this.#optionIds.set(id, optionIds);
    this.#freeze();
    this.#forgetMasks();
  }

  move(id: number, optionIds: readonly number[]): void {
    this.#optionIds.set(id, optionIds);
  }

  /**
   * Anonymous answers stay as they are, but lose the digest that orders facts of one revision.
   * Deleted ones lose the decisions about their topics as well.
   */
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
      if (answers === 'anonymise') continue;
      this.#frozen.delete(responseId);
      this.#facts = this.#facts.filter(({ fact }) => fact.topic_assignment?.response_id !== responseId);
    }
    this.#forgetMasks();
  }

  decide(settings: StoredSettings): void {
    this.#settings = settings;
  }

  /** Records answers that the settings allow to be masked now. */
  get maskable(): string[] {
    const maskable = this.#standing().filter(({ response }) => !response.imported);
    return this.#settings.effect === 'on' ? maskable.map(({ key }) => key) : [];
  }

  /** Masks that were just created. */
  masked(keys: readonly string[]): void {
    const standing = new Map(this.#standing().map((one) => [one.key, one]));
    const categories = categoriesOf(this.#settings);
    for (const key of keys) this.#masks.set(key, { categories, text: standing.get(key)?.text ?? '' });
  }

  /** Answers that have a mask of any categories. */
  get maskedKeys(): string[] {
    return [...this.#masks.keys()];
  }

  isMasked(key: string): boolean {
    return this.#masks.get(key)?.categories === categoriesOf(this.#settings);
  }

  /** Released answers in no order, or that the filter is rejected. */
  ask({ surveyIds, cycleIds, questionIds, optionIds }: TextQuery): ModelAnswer[] | '400' {
    const { filterAttribute } = this.#settings;
    if (optionIds?.some((id) => filterAttribute === null || ATTRIBUTE_OF[id] !== filterAttribute)) return '400';
    const questions = this.#newest(
      ({ question }) => question,
      ({ id }) => id,
    );
    const isText = (id: number): boolean => questions.get(String(id))?.type === 'textfield';
    const meant = this.#releasable().filter(
      (one) =>
        isText(one.questionId) &&
        (questionIds === undefined || questionIds.includes(one.questionId)) &&
        (surveyIds === undefined || surveyIds.includes(one.response.survey_id)) &&
        (cycleIds === undefined || cycleIds.includes(one.response.cycle_id)) &&
        (optionIds === undefined || optionIds.some((id) => one.optionIds?.includes(id))),
    );
    const rejected = this.#rejectedCycles(meant);
    return meant
      .filter(({ response }) => !rejected.has(response.cycle_id))
      .map(({ key, response, text }) => ({ key, text: this.#shown(key, response, text), topics: this.#topicsOf(key) }));
  }

  #releasable(): Standing[] {
    const { effect } = this.#settings;
    if (effect === 'withheld') return [];
    const standing = this.#standing();
    return effect === 'on' ? standing.filter(({ key, response }) => response.imported || this.isMasked(key)) : standing;
  }

  #shown(key: string, { imported }: Response, text: string): string {
    const { effect, categories } = this.#settings;
    if (effect !== 'on' || imported || !this.#masks.has(key)) return text;
    return categories.includes('email') ? text.replaceAll(/\S+@\S+/g, '[EMAIL]') : text;
  }

  #rejectedCycles(meant: readonly Standing[]): Set<string> {
    const surveys = this.#newest(
      ({ survey }) => survey,
      ({ id }) => id,
    );
    const rejected = new Set<string>();
    for (const group of Map.groupBy(meant, ({ response }) => `${response.cycle_id} ${response.survey_id}`).values()) {
      const [first] = group;
      if (first === undefined) continue;
      const survey = surveys.get(String(first.response.survey_id));
      const people = new Set(group.map(({ person }) => person)).size;
      const configured = survey?.text_threshold ?? 0;
      const threshold = configured <= 0 ? 5 : Math.max(3, configured);
      if (survey === undefined || people < threshold) rejected.add(first.response.cycle_id);
    }
    return rejected;
  }

  #topicsOf(key: string): ModelAnswer['topics'] {
    const topics = this.#newest(
      ({ topic }) => topic,
      ({ name }) => name.toLowerCase(),
    );
    const decided = this.#newest(
      ({ topic_assignment }) => topic_assignment,
      ({ response_id, question_id, topic }) => `${response_id} ${question_id} ${topic.toLowerCase()}`,
    );
    return [...topics]
      .flatMap(([name, topic]) => {
        const decision = decided.get(`${key} ${name}`);
        return decision === undefined || decision.removed ? [] : [{ name: topic.name, sentiment: decision.sentiment ?? null }];
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #standing(): Standing[] {
    return [...this.#responses()].flatMap(([id, response]) =>
      response.answers.flatMap(({ question_id: questionId, text }) => {
        const { person = 0, optionIds } = this.#frozen.get(id) ?? {};
        const isBlank = text == null || text.trim() === '';
        return isBlank ? [] : [{ key: `${id} ${questionId}`, response, questionId, person, optionIds, text }];
      }),
    );
  }

  #freeze(): void {
    for (const [id, response] of this.#responses()) {
      const person = this.#personOf(response) ?? 0;
      const before = this.#frozen.get(id);
      if (before?.person === person && before.optionIds !== undefined) continue;
      this.#frozen.set(id, { person, optionIds: this.#optionIds.get(person) });
    }
  }

  // A mask is deleted with its text, even if the same text returns.
  #forgetMasks(): void {
    const texts = new Map(this.#standing().map(({ key, text }) => [key, text]));
    for (const [key, { text }] of this.#masks) if (texts.get(key) !== text) this.#masks.delete(key);
  }

  // The newest revision of each response of a known employee.
  #responses(): Map<string, Response> {
    return this.#newest(
      ({ response }) => (response != null && this.#personOf(response) !== undefined ? response : undefined),
      ({ id }) => id,
    );
  }

  #personOf({ employee }: Response): number | undefined {
    const id = employee?.id ?? this.#importIds.get(employee?.import_id ?? '');
    return id !== undefined && this.#optionIds.has(id) ? id : undefined;
  }

  #newest<T>(select: (fact: Fact) => T | null | undefined, keyOf: (thing: T) => string | number): Map<string, T> {
    const newest = new Map<string, { incoming: IncomingFact; thing: T }>();
    for (const incoming of this.#facts) {
      const thing = select(incoming.fact);
      if (thing == null) continue;
      const key = String(keyOf(thing));
      const before = newest.get(key)?.incoming;
      if (before === undefined || compare(incoming, before) > 0) newest.set(key, { incoming, thing });
    }
    return new Map([...newest].map(([key, { thing }]) => [key, thing]));
  }
}

function categoriesOf({ categories }: StoredSettings): string {
  return categories.toSorted().join();
}

function compare(a: IncomingFact, b: IncomingFact): number {
  return a.revision - b.revision || Buffer.compare(a.digest, b.digest);
}

import type { responseLine, WrittenLine } from '@survey/bus/lines/line.ts';
import type { z } from 'zod';
import { between, isPast, formatTime } from './calendar.ts';
import { type OrganisationSize, type Person, positionOf } from './organisation.ts';
import type { PlannedCycle, PlannedSurvey } from './surveys.ts';
import type { QuestionBlueprint, WrittenQuestion } from './questions.ts';
import { Random } from './random.ts';
import { questionsOf } from './survey-lines.ts';
import { THEMES, type Theme, type Phrases, type Sentiment } from './texts/phrases.ts';
import { topicName } from './topics.ts';
import { colleague, countColleagues, colleagues } from './colleagues.ts';
import { DE } from './texts/de.ts';
import { EN } from './texts/en.ts';
import { ES } from './texts/es.ts';
import { FR } from './texts/fr.ts';
import { NL } from './texts/nl.ts';

const REASSIGNED = 0.02;

/**
 * Yields the responses to a survey by cycle, and occasional decisions of administrators about a
 * text's topic.
 */
export function* responses(survey: PlannedSurvey, size: OrganisationSize): Iterable<WrittenLine> {
  const questions = questionsOf(survey);
  for (const cycle of survey.cycles) {
    for (const person of respondents(survey, size)) {
      if (person.joinedMonth <= Math.max(0, cycle.month)) yield* responseOf(survey, cycle, questions, person, size);
    }
  }
}

function* responseOf(
  survey: PlannedSurvey,
  cycle: PlannedCycle,
  questions: readonly WrittenQuestion[],
  person: Person,
  size: OrganisationSize,
): Iterable<WrittenLine> {
  const random = new Random(size.seed, 'response', cycle.id, ...Object.values(person.reference));
  // Satisfied employees respond more often.
  const mood = moodOf(person, cycle.month, size.seed);
  if (!random.chance(survey.participation + 0.05 * mood)) return;
  const answering = { person, mood, random, size };
  const answers = survey.questions.flatMap((blueprint, index) => {
    const question = questions[index];
    return question === undefined ? [] : (answerTo(question, blueprint, answering) ?? []);
  });
  const id = random.uuid();
  yield {
    kind: 'response',
    id,
    survey_id: survey.id,
    cycle_id: cycle.id,
    employee: person.reference,
    submitted_at: submittedAt(cycle, random),
    ...(survey.imported === true ? { imported: true } : {}),
    answers: answers.map(({ answer }) => answer),
  };
  yield* decisions(id, answers, random);
}

// Most employees respond soon after they are asked.
function submittedAt({ openedAt, closesAt }: PlannedCycle, random: Random): string {
  const until = isPast(closesAt) ? closesAt : new Date(closesAt.getTime() - 60_000);
  return formatTime(between(openedAt, until, random.float() ** 2));
}

// An administrator who corrects an answer assigns what it is about, and may remove what it is not
// about.
function* decisions(response_id: string, given: readonly GivenAnswer[], random: Random): Iterable<WrittenLine> {
  for (const { answer, about } of given) {
    if (about === undefined || !random.chance(REASSIGNED)) continue;
    const assignment = { kind: 'topic_assignment' as const, response_id, question_id: answer.question_id };
    for (const { theme, sentiment } of about.judged) {
      yield { ...assignment, topic: topicName(theme), sentiment: random.chance(0.8) ? sentiment : null };
    }
    const other = random.pick(THEMES);
    if (random.chance(0.4) && about.judged.every(({ theme }) => theme !== other))
      yield { ...assignment, topic: topicName(other), sentiment: null, removed: true };
  }
}

// Share of the answers that choose an option that does not count, if there is one.
const OUTSIDE = 0.08;

type WrittenAnswer = z.input<typeof responseLine>['answers'][number];

interface Answering {
  person: Person;
  mood: number;
  random: Random;
  size: OrganisationSize;
}

interface GivenAnswer {
  answer: WrittenAnswer;
  about?: FreeText;
}

/** Returns the answer of a respondent in this mood; undefined when they skip the question. */
function answerTo(
  { id: question_id, type, answer_options }: WrittenQuestion,
  { answered, leaning = 0 }: QuestionBlueprint,
  answering: Answering,
): GivenAnswer | undefined {
  const { random } = answering;
  if (!random.chance(answered)) return undefined;
  if (type === 'textfield') {
    const about = writeText(answering.person, answering.mood + leaning, random, answering.size);
    return { answer: { question_id, text: about.text }, about };
  }
  const outside = answer_options.find(({ counts }) => counts === false);
  if (outside !== undefined && random.chance(OUTSIDE)) return { answer: { question_id, option_ids: [outside.id] } };
  const ids = answer_options.filter((option) => option !== outside).map(({ id }) => id);
  return { answer: { question_id, option_ids: chooseOptions(type, ids, answering) } };
}

function chooseOptions(type: string, ids: readonly number[], { mood, random }: Answering): number[] {
  if (type === 'ranked_select') return random.shuffled(ids);
  if (type === 'multiple_select') return random.shuffled(ids).slice(0, random.int(1, 3));
  // A scale from worst to best; most answers are slightly above the middle.
  const share = 0.7 + 0.2 * (mood + random.normal() * 0.7);
  const index = Math.round(share * (ids.length - 1));
  const id = ids[Math.max(0, Math.min(ids.length - 1, index))];
  return id === undefined ? [] : [id];
}

/**
 * Returns an employee's mood in a month: around 0, mostly within 2. It depends on the employee, the
 * team (more than by chance) and the month, so that answers correlate by all three, as in reality.
 */
function moodOf({ reference, department, site }: Person, month: number, seed: number): number {
  const temperament = new Random(seed, 'mood', ...Object.values(reference)).normal() * 0.7;
  const team = new Random(seed, 'team', department, site.location).normal() * 0.45;
  const season = new Random(seed, 'season', department, month).normal() * 0.2;
  return temperament + team + season;
}

/** Returns how much better or worse than the rest a department judges one theme. */
function leaning(department: string, theme: Theme, seed: number): number {
  return new Random(seed, 'leaning', department, theme).normal() * 0.5;
}

const PHRASES: Readonly<Record<string, Phrases>> = { de: DE, en: EN, es: ES, fr: FR, nl: NL };

interface FreeText {
  text: string;
  // Themes of its sentences, and what each says about its own.
  judged: readonly { theme: Theme; sentiment: Sentiment }[];
}

/** Returns a text of a respondent in this mood, in their language or in English. */
function writeText(person: Person, mood: number, random: Random, size: OrganisationSize): FreeText {
  const phrases = PHRASES[person.site.language] ?? EN;
  const themes = random.shuffled(THEMES).slice(0, random.pick([1, 1, 1, 2, 2, 3]));
  const judged = themes.map((theme) => ({
    theme,
    sentiment: sentimentOf(mood + leaning(person.department, theme, size.seed) + random.normal() * 0.5),
  }));
  const sentences = judged.map(({ theme, sentiment }) => random.pick(phrases.themes[theme][sentiment]));
  if (random.chance(0.04)) sentences.push(mention(random.pick(phrases.mentions), random, size));
  if (random.chance(0.1)) sentences.push(random.pick(phrases.endings));
  return { text: sentences.join(' '), judged };
}

function sentimentOf(judgement: number): Sentiment {
  if (judgement > 0.25) return 'positive';
  return judgement < -0.15 ? 'negative' : 'neutral';
}

// Real answers contain names, addresses and numbers, which masking removes. All are invented; 555
// 01xx is unassigned.
function mention(phrase: string, random: Random, size: OrganisationSize): string {
  const { firstname, lastname, email } = colleague(random.int(1, countColleagues(size)), size).line;
  return phrase
    .replace('{name}', `${firstname} ${lastname}`)
    .replace('{email}', email)
    .replace('{phone}', `+1 202 555 01${random.int(10, 99)}`);
}

/** Yields the employees whom a survey asks. */
export function* respondents({ every, from, asksColleagues }: PlannedSurvey, size: OrganisationSize): Iterable<Person> {
  if (asksColleagues) yield* colleagues(size);
  for (let index = from; index < size.employees; index += every) yield positionOf(index, size);
}

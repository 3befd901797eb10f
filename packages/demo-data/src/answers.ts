import type { z } from 'zod';
import type { responseLine } from '@survey/bus/lines/response.ts';
import { writeText, type FreeText } from './free-text.ts';
import type { OrganisationSize, Person } from './organisation.ts';
import type { QuestionBlueprint, WrittenQuestion } from './questions.ts';
import type { Random } from './random.ts';

type WrittenAnswer = z.input<typeof responseLine>['answers'][number];

interface Answering {
  person: Person;
  mood: number;
  random: Random;
  size: OrganisationSize;
}

export interface GivenAnswer {
  answer: WrittenAnswer;
  // Theme and sentiment of a text.
  about?: FreeText;
}

/** Returns the answer of a respondent in this mood; undefined when they skip the question. */
export function answerTo(
  { id: question_id, type, answer_options }: WrittenQuestion,
  { answered }: QuestionBlueprint,
  answering: Answering,
): GivenAnswer | undefined {
  const { random } = answering;
  if (!random.chance(answered)) return undefined;
  if (type === 'textfield') {
    const about = writeText(answering.person, answering.mood, random, answering.size);
    return { answer: { question_id, text: about.text }, about };
  }
  const ids = answer_options.map(({ id }) => id);
  return { answer: { question_id, option_ids: chosen(type, ids, answering) } };
}

function chosen(type: string, ids: readonly number[], { mood, random }: Answering): number[] {
  if (type === 'ranked_select') return random.shuffled(ids);
  if (type === 'multiple_select') return random.shuffled(ids).slice(0, random.int(1, 3));
  // A scale from worst to best; most answers are slightly above the middle.
  const share = 0.7 + 0.2 * (mood + random.normal() * 0.7);
  const place = Math.round(share * (ids.length - 1));
  const id = ids[Math.max(0, Math.min(ids.length - 1, place))];
  return id === undefined ? [] : [id];
}

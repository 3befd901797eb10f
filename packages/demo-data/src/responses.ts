import type { WrittenLine } from '@survey/bus/lines/line.ts';
import { answerTo, type GivenAnswer } from './answers.ts';
import { between, isPast, written } from './calendar.ts';
import { moodOf } from './mood.ts';
import type { OrganisationSize, Person } from './organisation.ts';
import type { WrittenQuestion } from './questions.ts';
import { Random } from './random.ts';
import { respondents } from './respondents.ts';
import { questionsOf } from './survey-lines.ts';
import type { PlannedCycle, PlannedSurvey } from './planned-survey.ts';
import { topicName } from './topics.ts';

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
  const given = survey.questions.flatMap((blueprint, index) => {
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
    answers: given.map(({ answer }) => answer),
  };
  yield* decisions(id, given, random);
}

// Most employees respond soon after they are asked.
function submittedAt({ openedAt, closesAt }: PlannedCycle, random: Random): string {
  const until = isPast(closesAt) ? closesAt : new Date(closesAt.getTime() - 60_000);
  return written(between(openedAt, until, random.float() ** 2));
}

function* decisions(response_id: string, given: readonly GivenAnswer[], random: Random): Iterable<WrittenLine> {
  for (const { answer, about } of given) {
    if (about === undefined || !random.chance(REASSIGNED)) continue;
    const assignment = { kind: 'topic_assignment' as const, response_id, question_id: answer.question_id };
    const isRemoved = random.chance(0.2);
    yield {
      ...assignment,
      topic: topicName(about.theme),
      sentiment: random.chance(0.8) ? about.sentiment : null,
      ...(isRemoved ? { removed: true } : {}),
    };
  }
}

import { daysAfter, isPast, timeIn, formatTime } from './calendar.ts';
import { DEPARTMENTS, type OrganisationSize } from './organisation.ts';
import { BENEFITS, FOCUS, ONBOARDING, PULSE, question, TEAM_MOOD, type QuestionBlueprint, type Translated } from './questions.ts';
import { Random } from './random.ts';

export interface PlannedCycle {
  id: string;
  month: number;
  openedAt: Date;
  closesAt: Date;
}

export interface PlannedSurvey {
  id: number;
  name: Translated;
  frequency: string;
  timezone: string;
  createdAt: Date;
  startAt?: Date;
  archivedAt?: Date;
  isDeactivated?: boolean;
  questions: readonly QuestionBlueprint[];
  cycles: readonly PlannedCycle[];
  // Asks every n-th employee, starting at index `from`.
  every: number;
  from: number;
  // Whether employees of the application are asked as well.
  asksColleagues: boolean;
  // Share of the asked employees who respond.
  participation: number;
  // Whether the responses were migrated from an earlier system.
  imported?: boolean;
}

/** Returns every survey of the organisation. */
export function plannedSurveys(size: OrganisationSize): PlannedSurvey[] {
  return [
    pulse(size),
    firstWeeks(size),
    moodOfTheWeek(size),
    benefits(size),
    officeMove(size),
    leadership(size),
    ...focusGroups(size),
  ];
}

const EVERYBODY = { every: 1, from: 0, asksColleagues: false };

function beginning({ months }: OrganisationSize): Date {
  return timeIn(0, months, 1, 7);
}

function pulse(size: OrganisationSize): PlannedSurvey {
  return {
    ...EVERYBODY,
    createdAt: beginning(size),
    id: 1,
    name: question('Engagement pulse', 'Stimmungsbild', 'Baromètre d’engagement', 'Pulso de compromiso', 'Betrokkenheidspeiling'),
    frequency: 'monthly',
    timezone: 'Europe/Berlin',
    questions: PULSE,
    cycles: monthly(size, 1, size.months),
    asksColleagues: true,
    participation: 0.62,
  };
}

function firstWeeks(size: OrganisationSize): PlannedSurvey {
  return {
    ...EVERYBODY,
    createdAt: beginning(size),
    id: 2,
    name: question('Your first weeks', 'Ihre ersten Wochen', 'Vos premières semaines', 'Sus primeras semanas', 'Uw eerste weken'),
    frequency: 'monthly',
    timezone: 'Europe/London',
    questions: ONBOARDING,
    cycles: monthly(size, 2, size.months),
    every: 60,
    from: 7,
    participation: 0.7,
  };
}

function moodOfTheWeek(size: OrganisationSize): PlannedSurvey {
  return {
    ...EVERYBODY,
    createdAt: beginning(size),
    id: 3,
    name: question(
      'Mood of the week',
      'Stimmung der Woche',
      'Humeur de la semaine',
      'Ánimo de la semana',
      'Stemming van de week',
    ),
    frequency: 'weekly',
    timezone: 'Europe/Madrid',
    startAt: daysAfter(beginning(size), 6),
    questions: TEAM_MOOD,
    cycles: weekly(size, 3),
    every: 25,
    from: 3,
    participation: 0.45,
  };
}

function benefits(size: OrganisationSize): PlannedSurvey {
  return {
    ...EVERYBODY,
    id: 4,
    name: question('Benefits', 'Zusatzleistungen', 'Avantages', 'Beneficios', 'Arbeidsvoorwaarden'),
    frequency: 'once',
    timezone: 'Europe/Paris',
    createdAt: timeIn(-3, size.months, 5, 9),
    archivedAt: timeIn(0, size.months, 2, 12),
    questions: BENEFITS,
    cycles: [cycle(size, 4, -2, timeIn(-2, size.months, 5, 8), 20)],
    every: 3,
    from: 0,
    participation: 0.5,
    imported: true,
  };
}

function officeMove(size: OrganisationSize): PlannedSurvey {
  return {
    ...EVERYBODY,
    createdAt: beginning(size),
    id: 5,
    name: question('Moving to the new office', 'Umzug ins neue Büro', 'Déménagement', 'Mudanza a la nueva oficina', 'Verhuizing'),
    frequency: 'biweekly',
    timezone: 'Europe/Amsterdam',
    isDeactivated: true,
    questions: TEAM_MOOD,
    cycles: monthly(size, 5, Math.ceil(size.months / 3)),
    every: 12,
    from: 5,
    participation: 0.4,
  };
}

function leadership(size: OrganisationSize): PlannedSurvey {
  return {
    ...EVERYBODY,
    id: 6,
    name: question('Leadership', 'Führung', 'Encadrement', 'Liderazgo', 'Leiderschap'),
    frequency: 'once',
    timezone: 'Europe/Berlin',
    createdAt: timeIn(size.months - 1, size.months, 10, 9),
    startAt: timeIn(size.months, size.months, 5, 8),
    questions: ONBOARDING,
    cycles: [],
    every: DEPARTMENTS.length,
    from: 1,
    participation: 0,
  };
}

const FIRST_ID = 10;
const PEOPLE_PER_GROUP = 500;
const MAX_GROUPS = 400;

/**
 * Returns short surveys of a few employees each, in some month; their number grows with the
 * workforce.
 */
function focusGroups(size: OrganisationSize): PlannedSurvey[] {
  const { employees, months, seed } = size;
  const count = Math.min(MAX_GROUPS, Math.floor(employees / PEOPLE_PER_GROUP));
  return Array.from({ length: count }, (_, group) => {
    const id = FIRST_ID + group;
    const month = new Random(seed, 'focus', group).int(0, months - 1);
    const openedAt = timeIn(month, months, 4, 9);
    return {
      id,
      name: { en: `Focus group ${group + 1}`, de: `Fokusgruppe ${group + 1}` },
      frequency: 'once',
      timezone: 'UTC',
      createdAt: daysAfter(openedAt, -2),
      startAt: openedAt,
      questions: FOCUS,
      cycles: [cycle(size, id, month, openedAt, 10)],
      every: count * 10,
      from: group,
      asksColleagues: false,
      participation: 0.8,
    };
  });
}

/** One cycle for each of the first months. The cycle of the last month is still open. */
function monthly(size: OrganisationSize, survey: number, months: number): PlannedCycle[] {
  return Array.from({ length: months }, (_, month) => cycle(size, survey, month, timeIn(month, size.months, 2, 7), 25));
}

/** One cycle per week until today. */
function weekly(size: OrganisationSize, survey: number): PlannedCycle[] {
  const first = timeIn(0, size.months, 7, 6);
  const all = Array.from({ length: size.months * 5 }, (_, week) => ({ week, openedAt: daysAfter(first, week * 7) }));
  return all
    .filter(({ openedAt }) => isPast(openedAt))
    .map(({ week, openedAt }) => cycle(size, survey, Math.min(size.months - 1, Math.floor((week * 7) / 30.5)), openedAt, 6));
}

/** A cycle that is open for some days. */
function cycle({ seed }: OrganisationSize, survey: number, month: number, openedAt: Date, days: number): PlannedCycle {
  const id = new Random(seed, 'cycle', survey, formatTime(openedAt)).uuid();
  return { id, month, openedAt, closesAt: daysAfter(openedAt, days) };
}

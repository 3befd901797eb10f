import type { QuestionBlueprint, Translated } from './questions.ts';

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

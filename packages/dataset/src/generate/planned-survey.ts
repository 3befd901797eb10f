import type { QuestionBlueprint } from './questions.ts';
import type { Translated } from './translated.ts';

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
  // Every n-th person is asked, beginning with that of this index.
  every: number;
  from: number;
  // Whether those of the application are asked, too.
  asksColleagues: boolean;
  // Share of those asked who answer.
  participation: number;
  // Whether the answers came from the system before this one.
  imported?: boolean;
}

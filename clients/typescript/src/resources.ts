import type { components, operations } from '../gen/openapi.ts';

type Schemas = components['schemas'];

export type Employee = Schemas['Employee'];
export type Survey = Schemas['Survey'];
export type SurveyCycle = Schemas['SurveyCycle'];
export type Question = Schemas['Question'];
export type SurveyAssignment = Schemas['SurveyAssignment'];
export type Initiative = Schemas['Initiative'];
export type Attribute = Schemas['Attribute'];
export type AttributeOption = Schemas['AttributeOption'];
export type TextResponse = Schemas['TextResponse'];
export type Score = Schemas['Score'];
/** One employee of an import. An absent property is left unchanged; null clears it. */
export type EmployeeRecord = Schemas['EmployeeRecord'];
export type Problem = Schemas['Problem'];

export type ImportAccepted = operations['importEmployees']['responses'][202]['content']['application/json'] & {
  // Whether the idempotency key named an earlier import, so that nothing was queued.
  readonly replayed: boolean;
};

/** Query parameters of an operation, except for paging. Instants can be a Date, too. */
export type Filters<O extends keyof operations> = operations[O]['parameters'] extends { query?: infer Query }
  ? WithDates<Omit<NonNullable<Query>, 'limit' | 'offset'>>
  : never;

type Instants = 'created_after' | 'period_from' | 'period_to';
type WithDates<Query> = { readonly [Name in keyof Query]: Query[Name] | (Name extends Instants ? Date : never) };

type ScoreLists = 'question_ids' | 'survey_ids' | 'attribute_option_ids';

/** All but `question_ids` and the period need the account's disclosure guard. */
export type ScoreQuery = WithDates<Omit<operations['getScore']['parameters']['query'], ScoreLists>> & {
  readonly question_ids: readonly number[];
  readonly survey_ids?: readonly number[];
  readonly attribute_option_ids?: readonly number[];
};

/** Absent filters do not restrict; an empty array is rejected. */
export interface TextResponseFilters {
  readonly survey_ids?: readonly number[];
  readonly survey_cycle_ids?: readonly string[];
  readonly question_ids?: readonly number[];
  // Options of the one attribute that the account has selected for filtering texts.
  readonly attribute_option_ids?: readonly number[];
}

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
/**
 * What an import says of one employee. A property that is absent stays unchanged; null clears it.
 */
export type EmployeeRecord = Schemas['EmployeeRecord'];
export type Problem = Schemas['Problem'];

export type ImportAccepted = operations['importEmployees']['responses'][202]['content']['application/json'];

/** The query parameters of an operation, but for those of paging. */
export type Filters<O extends keyof operations> = operations[O]['parameters'] extends { query?: infer Query }
  ? Omit<NonNullable<Query>, 'limit' | 'offset'>
  : never;

export type ScoreQuery = Omit<operations['getScore']['parameters']['query'], 'question_ids'> & {
  readonly question_ids: readonly number[];
};

/** What is absent does not restrict; an empty array is refused. */
export interface TextResponseFilters {
  readonly survey_ids?: readonly number[];
  readonly survey_cycle_ids?: readonly string[];
  readonly question_ids?: readonly number[];
  // Of the one attribute that the account has chosen for filtering answers.
  readonly attribute_option_ids?: readonly number[];
}

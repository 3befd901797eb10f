export { SurveyClient, type ClientOptions, type ImportOptions } from './client.ts';
export {
  AuthenticationError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServiceError,
  SurveyApiError,
  SurveyConnectionError,
  UnexpectedResponseError,
  ValidationError,
  type FieldError,
  type ProblemCode,
} from './errors.ts';
export type { List, ListOptions, Page, Progress } from './list.ts';
export type * from './resources.ts';
export type { Retries, Retry } from './retry.ts';
export type { CompareOptions, CycleScore, Scores } from './scores.ts';
export type { CallOptions } from './send-request.ts';
export type { Snapshot, SnapshotSource } from './snapshot.ts';

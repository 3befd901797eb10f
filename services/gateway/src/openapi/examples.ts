import { preconditionFailed } from '../endpoints/list-endpoint.ts';
import { missingScope } from '../endpoints/route.ts';
import { HEADERS_TOO_LARGE } from '../http/connection-errors.ts';
import { Problem, problemBody, type ProblemStatus } from '../http/problem.ts';
import { withoutKey } from '../keys/authenticate.ts';
import { exhausted } from '../overload/limit-rate.ts';
import { overloaded } from '../overload/shed-load.ts';

// One employee, survey and cycle in all examples, so that ids match between them.
const SURVEY_NAME = { de: 'Zufriedenheit', en: 'Satisfaction' };
const QUESTION_NAME = { de: 'Meine Arbeit macht mir Freude.', en: 'I enjoy my work.' };
const ADA = { employee_id: 4711, firstname: 'Ada', lastname: 'Lovelace' };
const DEPARTMENT = { id: 3, name: 'Department' };
const OPTIONS = [
  { id: 31, name: 'Engineering' },
  { id: 32, name: 'Sales' },
];

/** Examples of responses by operation id; test/system/openapi.test.ts validates them. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  listEmployees: {
    total_count: 1,
    employees: [
      {
        id: 4711,
        import_id: 'E1',
        email: 'ada@example.com',
        firstname: 'Ada',
        lastname: 'Lovelace',
        role: 'Manager',
        is_deleted: false,
        attributes: [{ ...DEPARTMENT, attribute_values: OPTIONS.slice(0, 1) }],
      },
    ],
  },
  listSurveys: {
    total_count: 1,
    surveys: [
      {
        id: 1,
        import_id: null,
        name: SURVEY_NAME,
        frequency: 'monthly',
        created_at: '2023-12-15T09:30:00Z',
        start_at: '2024-01-01T00:00:00Z',
        end_at: null,
        archived_at: null,
        current_survey_ends_at: '2024-01-31T22:00:00Z',
        next_survey_starts_at: '2024-02-01T00:00:00Z',
        is_archived: false,
        is_deactivated: false,
        permissions: { employees_with_access_to_results: [4711] },
        survey_properties: [{ id: 5, name: 'Region', survey_property_options: [{ id: 51, name: 'Europe' }] }],
      },
    ],
  },
  listQuestions: {
    total_count: 1,
    questions: [
      {
        id: 11,
        name: QUESTION_NAME,
        type: 'smiley_faces',
        is_deleted: false,
        answer_options: [
          { id: 111, name: { de: 'Nein', en: 'No' }, value: 1, is_maximum: false, is_minimum: true },
          { id: 112, name: { de: 'Ja', en: 'Yes' }, value: 2, is_maximum: true, is_minimum: false },
        ],
      },
    ],
  },
  listSurveyAssignments: {
    total_count: 1,
    survey_assignments: [
      { id: 21, survey_id: 1, created_at: '2023-12-15T09:31:00Z', deleted_at: null, employee_id: ADA.employee_id },
    ],
  },
  listSurveyCycles: {
    total_count: 1,
    cycles: [
      {
        id: '7467cb20-0e02-4866-bf40-2b627b0f03c3',
        survey_id: 1,
        opened_at: '2024-01-01T00:00:00Z',
        closed_at: '2024-01-31T22:00:00Z',
        timezone: 'Europe/Berlin',
      },
    ],
  },
  listInitiatives: {
    total_count: 1,
    initiatives: [
      {
        uuid: '0b54c1f6-6a5e-4c0e-9f5c-2f1f3d1c7a10',
        title: 'Quieter meeting rooms',
        status: 'in_progress',
        survey: { id: 1, name: SURVEY_NAME },
        questions: [{ id: 11, name: QUESTION_NAME }],
        assignee: ADA,
        creator: ADA,
        notes: '',
        completion_date: '2024-06-30T00:00:00Z',
        created_at: '2024-02-05T08:00:00Z',
        updated_at: null,
        is_private: false,
        reminder_settings: ['three_days_before'],
        notification_settings: ['on_create'],
      },
    ],
  },
  listAttributes: { total_count: 1, attributes: [DEPARTMENT] },
  listAttributeOptions: { attribute: DEPARTMENT, total_count: 2, options: OPTIONS },
  listTextResponses: {
    total_count: 1,
    responses: [{ text: 'The new rooms are quiet.', topics: [{ name: 'Workplace', sentiment: 'positive' }] }],
  },
  getScore: { score: 74.25, unit: 'favorability_percent', respondents: 42, suppressed: false, suppression_reason: null },
  importEmployees: { import_uuid: '01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11' },
};

const REQUEST_ID = '01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11';

// test/system/openapi.test.ts compares most of them with responses of the services.
const PROBLEMS: Readonly<Record<ProblemStatus, Problem> & Record<string, Problem>> = {
  400: new Problem(400, 'Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.', {
    errors: [{ parameter: 'nope', detail: 'is not a parameter of this endpoint: this endpoint takes limit, offset' }],
  }),
  'getScore 400': new Problem(400, 'Query parameter period_from must not be later than period_to.', {
    errors: [{ parameter: 'period_from', detail: 'must not be later than period_to' }],
  }),
  'importEmployees 400': new Problem(400, 'the body has one fault, so nothing was imported: correct it and send the body again', {
    errors: [{ pointer: '/employees/0/import_id', detail: 'must be a string, not a number' }],
  }),
  401: withoutKey('unknown'),
  403: missingScope('read:employees'),
  'getScore 403': missingScope('read:scores'),
  'listTextResponses 403': missingScope('read:texts'),
  'importEmployees 403': missingScope('employees:write'),
  404: new Problem(404, 'the REST API integration is not connected for this account: connect it in the web console'),
  'listAttributeOptions 404': new Problem(404, 'There is no such attribute, or it is not released for API use.'),
  405: new Problem(405, '/v1/surveys does not support POST. Use GET, HEAD.'),
  408: new Problem(408, 'The body arrived at less than 1 KiB per second. Compress it and retry.'),
  409: new Problem(409, 'an import for this account is still running: wait until it has ended, then send the snapshot again'),
  412: preconditionFailed(),
  413: new Problem(413, 'the body is larger than 1 GiB: send fewer bytes'),
  415: new Problem(415, 'The Content-Encoding is not supported. Send the body as it is, or with Content-Encoding: gzip.'),
  417: new Problem(417, 'No expectation other than 100-continue is supported. Omit the Expect header.'),
  422: new Problem(422, 'the Idempotency-Key was used with another body: send this one with a new key'),
  429: exhausted(1),
  431: HEADERS_TOO_LARGE,
  500: new Problem(500, 'An internal error occurred. Retry with exponential backoff; if it persists, report the instance.'),
  503: overloaded(),
};

/** Returns the body of a typical problem of an operation. */
export function problemExample(operationId: string, status: string): unknown {
  const problem = PROBLEMS[`${operationId} ${status}`] ?? PROBLEMS[status];
  return problem && JSON.parse(problemBody(problem, REQUEST_ID));
}

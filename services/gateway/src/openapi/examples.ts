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

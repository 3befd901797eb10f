import type { EmployeeReference } from '@survey/bus/lines/values.ts';
import type { FactTable } from './apply-to-table.ts';

/** Without the thresholds, which belong to scoring-anonymity. */
export const SURVEYS: FactTable<'survey'> = {
  kind: 'survey',
  key: 'id',
  columns: {
    id: 'bigint',
    import_id: 'text',
    name: 'jsonb',
    frequency: 'text',
    created_at: 'timestamptz',
    start_at: 'timestamptz',
    end_at: 'timestamptz',
    archived_at: 'timestamptz',
    current_survey_ends_at: 'timestamptz',
    next_survey_starts_at: 'timestamptz',
    is_archived: 'boolean',
    is_deactivated: 'boolean',
    access_employee_ids: 'bigint[]',
    access_import_ids: 'text[]',
    survey_properties: 'jsonb',
    timezone: 'text',
  },
  rowOf: (survey) => {
    const access = survey.permissions.employees_with_access_to_results.map((reference) =>
      typeof reference === 'number' ? { id: reference } : reference,
    );
    return {
      ...survey,
      access_employee_ids: access.flatMap((reference) => ('id' in reference ? reference.id : [])),
      access_import_ids: access.flatMap((reference) => ('id' in reference ? [] : reference.import_id)),
    };
  },
};

export const QUESTIONS: FactTable<'question'> = {
  kind: 'question',
  key: 'id',
  columns: {
    id: 'bigint',
    survey_id: 'bigint',
    name: 'jsonb',
    type: 'text',
    is_deleted: 'boolean',
    answer_options: 'jsonb',
  },
  // Question (docs/rules/resources.md): textfield has an empty array, even if the fact has options.
  // Whether an option counts concerns only scores.
  rowOf: ({ answer_options, ...question }) => ({
    ...question,
    answer_options: question.type === 'textfield' ? [] : answer_options.map((option) => ({ ...option, counts: undefined })),
  }),
};

export const CYCLES: FactTable<'cycle'> = {
  kind: 'cycle',
  key: 'id',
  columns: { id: 'uuid', survey_id: 'bigint', opened_at: 'timestamptz', closed_at: 'timestamptz' },
  rowOf: (cycle) => cycle,
};

export const INITIATIVES: FactTable<'initiative'> = {
  kind: 'initiative',
  key: 'uuid',
  columns: {
    uuid: 'uuid',
    title: 'text',
    status: 'text',
    survey_id: 'bigint',
    question_ids: 'bigint[]',
    assignee_id: 'bigint',
    assignee_import_id: 'text',
    creator_id: 'bigint',
    creator_import_id: 'text',
    notes: 'text',
    completion_date: 'timestamptz',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    is_private: 'boolean',
    reminder_settings: 'text[]',
    notification_settings: 'text[]',
  },
  rowOf: (initiative) => {
    const [assignee, creator] = [columnsOf(initiative.assignee), columnsOf(initiative.creator)];
    return {
      ...initiative,
      question_ids: [...new Set(initiative.question_ids)],
      assignee_id: assignee.id,
      assignee_import_id: assignee.import_id,
      creator_id: creator.id,
      creator_import_id: creator.import_id,
    };
  },
};

function columnsOf(reference: EmployeeReference | null | undefined): { id?: number; import_id?: string } {
  return reference ?? {};
}

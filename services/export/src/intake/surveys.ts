import type { Survey, SurveyProperty } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import type { FactTable } from './fact-table.ts';
import { employeeKey, instant, nonEmpty, optionalInstant, optionalText, positiveId, text, translated } from './fields.ts';

/** A row of export.survey. The thresholds belong to scoring-anonymity. */
export interface SurveyRow {
  id: number;
  import_id: string | null;
  name: object;
  frequency: string;
  created_at: string;
  start_at: string | null;
  end_at: string | null;
  archived_at: string | null;
  current_survey_ends_at: string | null;
  next_survey_starts_at: string | null;
  is_archived: boolean;
  is_deactivated: boolean;
  access_employee_ids: number[];
  access_import_ids: string[];
  survey_properties: object[];
  timezone: string;
}

export const SURVEYS: FactTable<SurveyRow> = {
  table: 'export.survey',
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
  read: ({ survey }) => (survey == null ? undefined : readSurvey(survey)),
};

function readSurvey(survey: Survey): SurveyRow {
  const access = survey.employees_with_access_to_results.map((each) => employeeKey(each, 'employees_with_access_to_results'));
  return {
    id: positiveId(survey.id, 'id'),
    import_id: optionalText(survey.import_id, 'import_id'),
    name: translated(survey.name, 'name'),
    frequency: nonEmpty(survey.frequency, 'frequency'),
    created_at: instant(survey.created_at, 'created_at'),
    start_at: optionalInstant(survey.start_at, 'start_at'),
    end_at: optionalInstant(survey.end_at, 'end_at'),
    archived_at: optionalInstant(survey.archived_at, 'archived_at'),
    current_survey_ends_at: optionalInstant(survey.current_survey_ends_at, 'current_survey_ends_at'),
    next_survey_starts_at: optionalInstant(survey.next_survey_starts_at, 'next_survey_starts_at'),
    is_archived: survey.is_archived,
    is_deactivated: survey.is_deactivated,
    access_employee_ids: access.flatMap(({ id }) => id ?? []),
    access_import_ids: access.flatMap(({ importId }) => importId ?? []),
    survey_properties: survey.survey_properties.map(readProperty),
    timezone: nonEmpty(survey.timezone, 'timezone'),
  };
}

function readProperty({ id, name, survey_property_options }: SurveyProperty): object {
  return {
    id: positiveId(id, 'survey_properties.id'),
    name: text(name, 'survey_properties.name'),
    survey_property_options: survey_property_options.map((option) => ({
      id: positiveId(option.id, 'survey_property_options.id'),
      name: text(option.name, 'survey_property_options.name'),
    })),
  };
}

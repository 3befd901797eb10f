import type { Initiative } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import type { FactTable } from './fact-table.ts';
import { instant, oneOf, optionalEmployeeKey, optionalId, optionalInstant, positiveId, text, uuid } from './fields.ts';

const STATUSES = ['draft', 'defined', 'in_progress', 'completed'];
const REMINDERS = ['same_day', 'three_days_before'];
const NOTIFICATIONS = ['on_create', 'on_update'];

/** A row of export.initiative. */
export interface InitiativeRow {
  uuid: string;
  title: string;
  status: string;
  survey_id: number | null;
  question_ids: number[];
  assignee_id: number | null;
  assignee_import_id: string | null;
  creator_id: number | null;
  creator_import_id: string | null;
  notes: string;
  completion_date: string | null;
  created_at: string;
  updated_at: string | null;
  is_private: boolean;
  reminder_settings: string[];
  notification_settings: string[];
}

export const INITIATIVES: FactTable<InitiativeRow> = {
  table: 'export.initiative',
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
  read: ({ initiative }) => (initiative == null ? undefined : readInitiative(initiative)),
};

function readInitiative(initiative: Initiative): InitiativeRow {
  const assignee = optionalEmployeeKey(initiative.assignee, 'assignee');
  const creator = optionalEmployeeKey(initiative.creator, 'creator');
  return {
    uuid: uuid(initiative.uuid, 'uuid'),
    title: text(initiative.title, 'title'),
    status: oneOf(STATUSES, initiative.status, 'status'),
    survey_id: optionalId(initiative.survey_id, 'survey_id'),
    question_ids: [...new Set(initiative.question_ids.map((id) => positiveId(id, 'question_ids')))],
    assignee_id: assignee.id,
    assignee_import_id: assignee.importId,
    creator_id: creator.id,
    creator_import_id: creator.importId,
    notes: text(initiative.notes, 'notes'),
    completion_date: optionalInstant(initiative.completion_date, 'completion_date'),
    created_at: instant(initiative.created_at, 'created_at'),
    updated_at: optionalInstant(initiative.updated_at, 'updated_at'),
    is_private: initiative.is_private,
    reminder_settings: initiative.reminder_settings.map((value) => oneOf(REMINDERS, value, 'reminder_settings')),
    notification_settings: initiative.notification_settings.map((value) => oneOf(NOTIFICATIONS, value, 'notification_settings')),
  };
}

import {
  AccountEvent,
  EmployeeErased,
  EmployeeEvent,
  ImportEvent,
  type ImportCounts,
  KeyRevoked,
  SettingsChanged,
  TextEvent,
  TopicEvent,
} from '@survey/proto/events/v1/events.ts';

/**
 * Every event with the message type of its payload. Described in docs/events.md and
 * docs/asyncapi.yaml.
 */
export const EVENTS = {
  'events.account.closed': AccountEvent,
  'events.account.deleted': AccountEvent,
  'events.import.accepted': ImportEvent,
  'events.import.applied': ImportEvent,
  'events.import.cancelled': ImportEvent,
  'events.import.failed': ImportEvent,
  'events.employee.created': EmployeeEvent,
  'events.employee.updated': EmployeeEvent,
  'events.employee.offboarded': EmployeeEvent,
  'events.employee.reactivated': EmployeeEvent,
  'events.employee.erased': EmployeeErased,
  'events.key.revoked': KeyRevoked,
  'events.settings.changed': SettingsChanged,
  'events.topic.created': TopicEvent,
  'events.topic.renamed': TopicEvent,
  'events.topic.merged': TopicEvent,
  'events.topic.keywords_changed': TopicEvent,
  'events.text.categorised': TextEvent,
  'events.text.masked': TextEvent,
} as const;

export type EventSubject = keyof typeof EVENTS;

export function isEventSubject(subject: string): subject is EventSubject {
  return Object.hasOwn(EVENTS, subject);
}

/** Returns whether an import with these counts has changed any employee. */
export const changesEmployees = ({ created, updated, reactivated, offboarded }: ImportCounts): boolean =>
  created + updated + reactivated + offboarded > 0;

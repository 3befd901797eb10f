export { EVENTS, isEventSubject, type EventSubject } from '@survey/bus/events.ts';
export type {
  AccountEvent,
  EmployeeErased,
  EmployeeEvent,
  ImportEvent,
  KeyRevoked,
  SettingsChanged,
  TextEvent,
  TopicEvent,
} from '@survey/proto/events/v1/events.ts';
export { consumeEvents, type ConsumeOptions, type SequenceGap, type SurveyEvent } from './consume-events.ts';

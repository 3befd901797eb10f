import {
  AckPolicy,
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type StreamConfig,
} from '@nats-io/jetstream';

const SECOND_NS = 1_000_000_000;
const DAY_NS = 86_400 * SECOND_NS;
export const ACK_WAIT_NS = 60 * SECOND_NS;

/**
 * Oldest nats-server that keeps what it acknowledges: 2.9 cannot sync each message, 2.10.20 to
 * 2.10.22 lose streams at a restart, and 2.11.0 lets one account read another's (CVE-2025-30215).
 */
export const OLDEST_SERVER = '2.11.1';

/** Compares versions number by number: 2.9.10 is older than 2.11.1. */
export const isAtLeast = (version: string, oldest: string): boolean =>
  version.localeCompare(oldest, 'en', { numeric: true }) >= 0;

type Stream = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects'>;

/** All streams. */
export const STREAMS: readonly Stream[] = [
  {
    // Wakes workers. The rows in PostgreSQL are the truth: a sweeper finds lost jobs, and
    // duplicates do nothing.
    name: 'JOBS',
    subjects: ['jobs.>'],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: 7 * DAY_NS,
    duplicate_window: 120 * SECOND_NS,
  },
  {
    // Facts from the application and other services; each owning service stores what it needs.
    // Publishers can publish again.
    name: 'INTAKE',
    subjects: ['intake.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: 3 * DAY_NS,
    duplicate_window: 120 * SECOND_NS,
  },
  {
    // Events for other services: kept for a week, so that a consumer may be down or restart from a
    // sequence.
    name: 'EVENTS',
    subjects: ['events.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: 7 * DAY_NS,
    duplicate_window: 120 * SECOND_NS,
  },
  {
    // Ids of deleted accounts, kept for good: after a restore of PostgreSQL, deletions that the
    // dump does not know are replayed (ADR 21).
    name: 'DELETIONS',
    subjects: ['deletions.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
    // For ever.
    max_age: 0,
    duplicate_window: 120 * SECOND_NS,
  },
];

type Consumer = Partial<ConsumerConfig> & Pick<ConsumerConfig, 'filter_subject'> & { stream: string; durable_name: string };

// max_deliver is unlimited, because a message that reached it would remain in a work queue forever
// without notice. PostgreSQL counts attempts.
const durable = (stream: string, name: string, subject: string): Consumer => ({
  stream,
  durable_name: name,
  filter_subject: subject,
  ack_policy: AckPolicy.Explicit,
  ack_wait: ACK_WAIT_NS,
  max_ack_pending: 1_000,
});

// Each kind of fact has a consumer of its own, so that a slow kind does not delay the others.
const facts = (service: string, kind: FactKind): Consumer => durable('INTAKE', `${service}-${kind}`, `intake.${kind}.*`);

const FACT_KINDS = [
  'survey',
  'question',
  'cycle',
  'employee',
  'assignment',
  'initiative',
  'response',
  'topic',
  'topic_assignment',
] as const;

export type FactKind = (typeof FACT_KINDS)[number];

export const CONSUMERS = {
  'import-reconciler': durable('JOBS', 'import-reconciler', 'jobs.import'),
  'import-reconciler-employee': facts('import-reconciler', 'employee'),
  'export-survey': facts('export', 'survey'),
  'export-question': facts('export', 'question'),
  'export-cycle': facts('export', 'cycle'),
  'export-assignment': facts('export', 'assignment'),
  'export-initiative': facts('export', 'initiative'),
  'scoring-anonymity-survey': facts('scoring-anonymity', 'survey'),
  'scoring-anonymity-question': facts('scoring-anonymity', 'question'),
  'scoring-anonymity-cycle': facts('scoring-anonymity', 'cycle'),
  'scoring-anonymity-response': facts('scoring-anonymity', 'response'),
  'text-analysis-question': facts('text-analysis', 'question'),
  'text-analysis-response': facts('text-analysis', 'response'),
  'text-analysis-topic': facts('text-analysis', 'topic'),
  'text-analysis-topic_assignment': facts('text-analysis', 'topic_assignment'),
  'text-analysis-mask': durable('JOBS', 'text-analysis-mask', 'jobs.mask'),
  'text-analysis-categorise': durable('JOBS', 'text-analysis-categorise', 'jobs.categorise'),
  'text-analysis-sentiment': durable('JOBS', 'text-analysis-sentiment', 'jobs.sentiment'),
} as const satisfies Record<string, Consumer>;

export type ConsumerName = keyof typeof CONSUMERS;

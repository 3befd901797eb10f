import { CONSUMERS } from './streams.ts';

/** What a user of the bus may publish and listen to, beside its own inbox. */
export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

// A durable consumer's own subjects, and nothing of its stream: not to read it past the consumer,
// to delete from it or to change either.
function consumerSubjects(service: string): string[] {
  const own = Object.entries(CONSUMERS).filter(([name]) => name === service || name.startsWith(`${service}-`));
  return own.flatMap(([name, { stream }]) => [
    `$JS.API.CONSUMER.INFO.${stream}.${name}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
    `$JS.ACK.${stream}.${name}.>`,
  ]);
}

// To see whether an event that JetStream takes for a duplicate is there.
const VERIFY_EVENT = '$JS.API.STREAM.MSG.GET.EVENTS';

const service = (name: string, publish: readonly string[], subscribe: readonly string[]): BusPermissions => ({
  publish: [...publish, ...consumerSubjects(name)],
  subscribe,
});

/**
 * The users of the bus, with the least that each needs: the services, `prepare` that makes streams
 * and consumers, `ops-tools` that publishes facts for operators, and `application` for whoever
 * states facts and lives on events outside. Never all of `$JS`: that reaches the other accounts of
 * servers before 2.10.27 (CVE-2025-30215).
 */
export const BUS_USERS = {
  gateway: service('gateway', [], ['events.key.revoked']),
  export: service('export', [], ['events.import.applied']),
  'import-reconciler': service(
    'import-reconciler',
    ['jobs.import', 'events.import.*', 'events.employee.*', 'progress.import.*', VERIFY_EVENT],
    ['events.import.applied'],
  ),
  'scoring-anonymity': service('scoring-anonymity', [], ['events.import.applied']),
  'text-analysis': service(
    'text-analysis',
    ['jobs.mask', 'jobs.categorise', 'jobs.sentiment', 'events.text.*', 'events.topic.*', VERIFY_EVENT],
    ['events.import.applied', 'events.settings.changed'],
  ),
  'account-admin': service(
    'account-admin',
    ['events.key.revoked', 'events.settings.changed', VERIFY_EVENT],
    ['progress.import.*'],
  ),
  prepare: { publish: ['$JS.API.>'], subscribe: [] },
  // How far services are with what was published, `surveyctl dataset load` reads from their
  // consumers.
  'ops-tools': {
    publish: ['intake.>', '$JS.API.INFO', '$JS.API.STREAM.INFO.*', '$JS.API.CONSUMER.INFO.INTAKE.*'],
    subscribe: [],
  },
  application: {
    publish: [
      'intake.>',
      '$JS.API.INFO',
      '$JS.API.STREAM.INFO.*',
      '$JS.API.CONSUMER.*.EVENTS.>',
      '$JS.API.CONSUMER.MSG.NEXT.EVENTS.>',
      '$JS.ACK.EVENTS.>',
    ],
    subscribe: ['events.>'],
  },
} as const satisfies Record<string, BusPermissions>;

export type BusUser = keyof typeof BUS_USERS;

// The server takes an empty list for no list: whoever has it may everything.
const allowOrDenyAll = (subjects: readonly string[]): string =>
  subjects.length === 0 ? 'deny: [">"]' : `allow: ${JSON.stringify(subjects)}`;

/**
 * The users as nats-server's configuration has them, each with an inbox that no other may listen
 * to.
 */
export function serverUsers(passwords: Readonly<Record<BusUser, string>>): string {
  const users: [string, BusPermissions][] = Object.entries(BUS_USERS);
  return users
    .map(([name, { publish, subscribe }]) => {
      // Every user has one.
      const password = JSON.stringify(passwords[name as BusUser]);
      const inbox = `_INBOX.${name}.>`;
      return `  { user: ${name}, password: ${password}, permissions: {
      publish: { ${allowOrDenyAll(publish)} }
      subscribe: { allow: ${JSON.stringify([...subscribe, inbox])} } } }`;
    })
    .join('\n');
}

import { CONSUMERS } from './streams.ts';

/** Subjects that a bus user may publish to and subscribe to, in addition to its inbox. */
export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

// A durable consumer's own subjects only: the user cannot read the stream directly, delete from it
// or change either.
function consumerSubjects(service: string): string[] {
  const consumers = Object.entries(CONSUMERS).filter(([name]) => name === service || name.startsWith(`${service}-`));
  return consumers.flatMap(([name, { stream, filter_subject }]) => [
    `$JS.API.CONSUMER.INFO.${stream}.${name}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
    `$JS.ACK.${stream}.${name}.>`,
    ...(stream === 'INTAKE' ? [`progress.facts.${name}`] : []),
    // For position.ts, which compares the consumer with its stream and recreates it. Because the
    // last one ends with the subject, the server accepts no other filter.
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.DELETE.${stream}.${name}`,
    `$JS.API.CONSUMER.CREATE.${stream}.${name}.${filter_subject}`,
  ]);
}

// Checks whether an event that JetStream reports as a duplicate is stored.
const VERIFY_EVENT = '$JS.API.STREAM.MSG.GET.EVENTS';

const service = (name: string, publish: readonly string[], subscribe: readonly string[]): BusPermissions => ({
  publish: [...new Set([...publish, ...consumerSubjects(name)])],
  subscribe,
});

/**
 * The bus users with their least privileges: the services, `prepare` that creates streams and
 * consumers, `ops-tools` that publishes facts for operators, and `application`, which publishes
 * facts and consumes events. Never all of `$JS`.
 */
export const BUS_USERS = {
  gateway: service('gateway', [], ['events.key.revoked']),
  export: service('export', [], ['events.import.applied', 'events.account.closed', 'events.employee.erased']),
  'import-reconciler': service(
    'import-reconciler',
    ['jobs.import', 'events.import.*', 'events.employee.*', 'progress.import.*', VERIFY_EVENT],
    ['events.import.applied', 'events.settings.changed', 'events.account.closed', 'events.employee.erased'],
  ),
  'scoring-anonymity': service(
    'scoring-anonymity',
    [],
    ['events.import.applied', 'events.settings.changed', 'events.account.closed', 'events.employee.erased'],
  ),
  'text-analysis': service(
    'text-analysis',
    ['jobs.mask', 'jobs.categorise', 'jobs.sentiment', 'events.text.*', 'events.topic.*', VERIFY_EVENT],
    ['events.import.applied', 'events.settings.changed', 'events.account.closed', 'events.employee.erased'],
  ),
  'account-admin': service(
    'account-admin',
    [
      'events.key.revoked',
      'events.settings.changed',
      'events.account.*',
      VERIFY_EVENT,
      // Purges the facts of deleted accounts, records their deletions and reads these records.
      '$JS.API.STREAM.PURGE.INTAKE',
      'deletions.>',
      '$JS.API.STREAM.INFO.DELETIONS',
      '$JS.API.STREAM.MSG.GET.DELETIONS',
    ],
    ['progress.import.*', 'events.settings.changed', 'events.employee.erased'],
  ),
  prepare: { publish: ['$JS.API.>'], subscribe: [] },
  // `surveyctl dataset load` reads the services' progress from their consumers. It must not create
  // consumers: whoever may can read raw answers, and publish anywhere by choosing the subject to
  // which a push consumer delivers. So `facts replay` needs the user `prepare`.
  'ops-tools': {
    publish: ['intake.>', '$JS.API.INFO', '$JS.API.STREAM.INFO.*', '$JS.API.CONSUMER.INFO.INTAKE.*'],
    subscribe: [],
  },
  // Pulls from the consumers that the installation creates, for the same reason.
  application: {
    publish: [
      'intake.>',
      '$JS.API.INFO',
      '$JS.API.STREAM.INFO.*',
      '$JS.API.CONSUMER.INFO.EVENTS.*',
      '$JS.API.CONSUMER.MSG.NEXT.EVENTS.*',
      '$JS.ACK.EVENTS.>',
    ],
    subscribe: ['events.>'],
  },
} as const satisfies Record<string, BusPermissions>;

export type BusUser = keyof typeof BUS_USERS;

// The server treats an empty list as no list, which would allow everything.
const allowOrDenyAll = (subjects: readonly string[]): string =>
  subjects.length === 0 ? 'deny: [">"]' : `allow: ${JSON.stringify(subjects)}`;

// Each user has a private inbox.
const users = (): { name: BusUser; publish: readonly string[]; subscribe: readonly string[] }[] =>
  (Object.keys(BUS_USERS) as BusUser[]).map((name) => {
    const { publish, subscribe }: BusPermissions = BUS_USERS[name];
    return { name, publish, subscribe: [...subscribe, `_INBOX.${name}.>`] };
  });

/** Returns the users for nats-server's configuration. `passwordOf` gives it a password as text. */
export function serverUsers(passwordOf: (user: BusUser) => string): string {
  return users()
    .map(
      ({ name, publish, subscribe }) => `  { user: ${name}, password: ${passwordOf(name)}, permissions: {
      publish: { ${allowOrDenyAll(publish)} }
      subscribe: { ${allowOrDenyAll(subscribe)} } } }`,
    )
    .join('\n');
}

/** Returns the commands of `nsc` that create the users in an account. */
export function nscCommands(account: string): string {
  // No subject has a comma or a quote.
  return users()
    .map(({ name, publish, subscribe }) => {
      const published = publish.length === 0 ? `--deny-pub '>'` : `--allow-pub '${publish.join(',')}'`;
      return `nsc add user --account '${account}' --name ${name} ${published} --allow-sub '${subscribe.join(',')}'`;
    })
    .join('\n');
}

import type * as schedule from './explore.ts';

// An import's row and its neighbours, as the steps that the actors take between failpoints. A step
// that needs a lock waits. test/proofs runs the same orders on the real stack.

/** What the account has. */
export interface World {
  readonly imports: { state: 'accepted' | 'applied' | 'cancelled'; allowed: boolean; committed: boolean; ends: number }[];
  // The employee whom the snapshots contain and who is erased.
  person: 'there' | 'erased';
  connected: boolean;
  // Whether the body of an import still has the employee when the erasure is complete.
  keepsBody: boolean;
  // Names of actors that hold locks until their transactions end.
  accountLock?: string | undefined;
  rowLock?: string | undefined;
  // The lock under which a transaction numbers its events.
  outboxLock?: string | undefined;
}

/** Mechanisms that an ablation removes. */
export interface Mechanisms {
  readonly accountLock: boolean;
  readonly rowLock: boolean;
  // An erasure waits until no import is running, because its body has the employee.
  readonly busyCheck: boolean;
  // An account has one running import.
  readonly slot: boolean;
}

/** What an actor has read. */
interface Mine {
  seesPerson?: boolean;
  row?: number;
  plan?: { state: 'applied' | 'cancelled'; updatesPerson: boolean };
}

type Actor = schedule.Actor<World, Mine>;
type Steps = Actor['steps'];

export interface Case extends schedule.Case<World, Mine> {
  // Whether the snapshot offboards more than the threshold allows.
  readonly needsOverride: boolean;
}

const isRunning = ({ state, committed }: World['imports'][number]): boolean => state === 'accepted' && committed;
const running = ({ imports }: World) => imports.find(isRunning);

const upload = (on: Mechanisms): Steps => ({
  'accept.validated': ({ connected }) => (connected ? undefined : 'over'),
  'accept.written': (world, mine) => {
    if (!world.connected || (on.slot && world.imports.some(({ state }) => state === 'accepted'))) return 'over';
    // It waits for this lock for a second, and then the response is 409.
    if (world.outboxLock !== undefined) return 'over';
    world.outboxLock = 'upload';
    mine.row = world.imports.push({ state: 'accepted', allowed: false, committed: false, ends: 0 }) - 1;
    return undefined;
  },
  'accept.committed': (world, { row = 0 }) => {
    Object.assign(world.imports[row] ?? {}, { committed: true });
    world.outboxLock = undefined;
    return undefined;
  },
});

const apply = (name: string, on: Mechanisms, needsOverride: boolean): Steps => ({
  'import.counted': ({ imports }, { row = 0 }) => (imports[row]?.state === 'accepted' ? undefined : 'over'),
  'import.claimed': (world, { row = 0 }) => {
    if (world.imports[row]?.state !== 'accepted' || (on.rowLock && world.rowLock !== undefined)) return 'over';
    world.rowLock = name;
    return undefined;
  },
  'import.account_locked': (world, mine) => {
    if (on.accountLock && world.accountLock !== undefined) return 'wait';
    world.accountLock = name;
    mine.seesPerson = world.person === 'there';
    return undefined;
  },
  'import.finished': (world, mine) => {
    if (world.outboxLock !== undefined) return 'wait';
    world.outboxLock = name;
    const isAllowed = world.imports[mine.row ?? 0]?.allowed === true;
    const applies = world.connected && (isAllowed || !needsOverride);
    mine.plan = { state: applies ? 'applied' : 'cancelled', updatesPerson: applies && mine.seesPerson === true };
    return undefined;
  },
  'import.committed': (world, { row = 0, plan }) => {
    const ended = world.imports[row];
    if (ended === undefined || plan === undefined) return;
    Object.assign(ended, { state: plan.state, ends: ended.ends + 1 });
    if (plan.updatesPerson) world.person = 'there';
    world.rowLock = undefined;
    world.accountLock = undefined;
    world.outboxLock = undefined;
  },
});

const erase = (on: Mechanisms): Actor => ({
  name: 'erase',
  steps: {
    'erase.employee_changed': (world, mine) => {
      if (on.accountLock && world.accountLock !== undefined) return 'wait';
      if (on.busyCheck && running(world) !== undefined) return 'wait';
      if (world.outboxLock !== undefined) return 'wait';
      world.accountLock = 'erase';
      world.outboxLock = 'erase';
      mine.row = world.imports.findIndex(isRunning);
      return undefined;
    },
    'erase.employee_emptied': (world) => {
      world.person = 'erased';
      if (world.accountLock === 'erase') world.accountLock = undefined;
      world.outboxLock = undefined;
    },
    'erase.results_deleted': (world, { row = 0 }) => {
      if (world.imports[row]?.state === 'accepted') world.keepsBody = true;
      return undefined;
    },
  },
});

const disconnect: Actor = {
  name: 'disconnect',
  steps: { disconnect: (world) => void (world.connected = false) },
};

// A queued import is marked; one that is being applied is left alone.
const allow: Actor = {
  name: 'allow',
  steps: {
    allow: (world) => {
      const row = running(world);
      if (row !== undefined && world.rowLock === undefined) row.allowed = true;
    },
  },
};

/** All pairs of actors. */
export function casesOf(on: Mechanisms): Case[] {
  const sent = (needsOverride = false): Actor => ({
    name: 'import',
    steps: { ...upload(on), ...apply('import', on, needsOverride) },
  });
  const pair = (other: Actor, needsOverride = false): Case => ({
    name: `import/${other.name}`,
    world: { imports: [], person: 'there', connected: true, keepsBody: false },
    actors: [sent(needsOverride), other],
    needsOverride,
    judge: ({ imports }) => (imports.filter(isRunning).length > 1 ? ['two running imports'] : []),
    settle: (world) => settle(world, on, needsOverride),
    judgeEnd: (world, steps) => judgeEnd(world, steps, needsOverride),
  });
  return [
    pair(erase(on)),
    pair(disconnect),
    pair(allow, true),
    pair({ name: 'upload', steps: upload(on) }),
    pair({ name: 'worker', steps: apply('worker', on, false) }),
  ];
}

// What is left over is done by the sweeper.
function settle(world: World, on: Mechanisms, needsOverride: boolean): void {
  for (const [row] of world.imports.entries()) {
    const mine: Mine = { row };
    for (const take of Object.values(apply('sweeper', on, needsOverride))) if (take(world, mine) !== undefined) break;
  }
}

function judgeEnd(
  { imports, person, keepsBody }: World,
  steps: schedule.Schedule<World>['steps'],
  needsOverride: boolean,
): string[] {
  const ends = imports
    .filter(({ committed, ends: times }) => committed && times !== 1)
    .map(({ ends: times }) => `an import ended ${times} times`);
  const hasErased = steps.some(({ point, isOver }) => point === 'erase.employee_emptied' && !isOver);
  const back = hasErased && person === 'there' ? ['an erased employee is back'] : [];
  const unasked = imports.some(({ state, allowed }) => needsOverride && state === 'applied' && !allowed);
  const body = keepsBody ? ['a body has an erased employee'] : [];
  return [...ends, ...back, ...body, ...(unasked ? ['employees were offboarded without an override'] : [])];
}

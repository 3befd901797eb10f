// An import's row and its neighbours, as the steps that the actors take between failpoints. Every
// order of the steps of two actors is tried; a step that needs a lock waits. test/proofs runs the
// same orders on the real stack.

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

/** What a step found: it must wait, or its actor has nothing more to do. */
type Found = 'wait' | 'over' | undefined;

interface Step {
  // The failpoint that follows it, or the call that it consists of.
  readonly point: string;
  readonly take: (world: World, mine: Mine) => Found;
}

/** What an actor has read. */
interface Mine {
  seesPerson?: boolean;
  row?: number;
  plan?: { state: 'applied' | 'cancelled'; updatesPerson: boolean };
}

export interface Actor {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Case {
  readonly name: string;
  readonly actors: readonly [Actor, Actor];
  // Whether the snapshot offboards more than the threshold allows.
  readonly needsOverride: boolean;
}

const running = ({ imports }: World) => imports.find(({ state, committed }) => state === 'accepted' && committed);

const upload = (on: Mechanisms): Step[] => [
  { point: 'accept.validated', take: ({ connected }) => (connected ? undefined : 'over') },
  {
    point: 'accept.written',
    take: (world, mine) => {
      if (!world.connected || (on.slot && world.imports.some(({ state }) => state === 'accepted'))) return 'over';
      // It waits for this lock for a second, and then the response is 409.
      if (world.outboxLock !== undefined) return 'over';
      world.outboxLock = 'upload';
      mine.row = world.imports.push({ state: 'accepted', allowed: false, committed: false, ends: 0 }) - 1;
      return undefined;
    },
  },
  {
    point: 'accept.committed',
    take: (world, { row = 0 }) => {
      Object.assign(world.imports[row] ?? {}, { committed: true });
      world.outboxLock = undefined;
      return undefined;
    },
  },
];

const apply = (name: string, on: Mechanisms, needsOverride: boolean): Step[] => [
  { point: 'import.counted', take: ({ imports }, { row = 0 }) => (imports[row]?.state === 'accepted' ? undefined : 'over') },
  {
    point: 'import.claimed',
    take: (world, { row = 0 }) => {
      if (world.imports[row]?.state !== 'accepted' || (on.rowLock && world.rowLock !== undefined)) return 'over';
      world.rowLock = name;
      return undefined;
    },
  },
  {
    point: 'import.account_locked',
    take: (world, mine) => {
      if (on.accountLock && world.accountLock !== undefined) return 'wait';
      world.accountLock = name;
      mine.seesPerson = world.person === 'there';
      return undefined;
    },
  },
  {
    point: 'import.finished',
    take: (world, mine) => {
      if (world.outboxLock !== undefined) return 'wait';
      world.outboxLock = name;
      const isAllowed = world.imports[mine.row ?? 0]?.allowed === true;
      const applies = world.connected && (isAllowed || !needsOverride);
      mine.plan = { state: applies ? 'applied' : 'cancelled', updatesPerson: applies && mine.seesPerson === true };
      return undefined;
    },
  },
  {
    point: 'import.committed',
    take: (world, { row = 0, plan }) => {
      const ended = world.imports[row];
      if (ended === undefined || plan === undefined) return;
      Object.assign(ended, { state: plan.state, ends: ended.ends + 1 });
      if (plan.updatesPerson) world.person = 'there';
      world.rowLock = undefined;
      world.accountLock = undefined;
      world.outboxLock = undefined;
    },
  },
];

const erase = (on: Mechanisms): Actor => ({
  name: 'erase',
  steps: [
    {
      point: 'erase.employee_changed',
      take: (world, mine) => {
        if (on.accountLock && world.accountLock !== undefined) return 'wait';
        if (on.busyCheck && running(world) !== undefined) return 'wait';
        if (world.outboxLock !== undefined) return 'wait';
        world.accountLock = 'erase';
        world.outboxLock = 'erase';
        mine.row = world.imports.findIndex(({ state, committed }) => state === 'accepted' && committed);
        return undefined;
      },
    },
    {
      point: 'erase.employee_emptied',
      take: (world) => {
        world.person = 'erased';
        if (world.accountLock === 'erase') world.accountLock = undefined;
        world.outboxLock = undefined;
      },
    },
    {
      point: 'erase.results_deleted',
      take: (world, { row = 0 }) => {
        if (world.imports[row]?.state === 'accepted') world.keepsBody = true;
        return undefined;
      },
    },
  ],
});

const disconnect: Actor = {
  name: 'disconnect',
  steps: [{ point: 'disconnect', take: (world) => void (world.connected = false) }],
};

// A queued import is marked; one that is being applied is left alone.
const allow: Actor = {
  name: 'allow',
  steps: [
    {
      point: 'allow',
      take: (world) => {
        const row = running(world);
        if (row !== undefined && world.rowLock === undefined) row.allowed = true;
      },
    },
  ],
};

/** All pairs of actors. */
export function casesOf(on: Mechanisms): Case[] {
  const sent = (needsOverride = false): Actor => ({
    name: 'import',
    steps: [...upload(on), ...apply('import', on, needsOverride)],
  });
  return [
    { name: 'import/erase', actors: [sent(), erase(on)], needsOverride: false },
    { name: 'import/disconnect', actors: [sent(), disconnect], needsOverride: false },
    { name: 'import/allow', actors: [sent(true), allow], needsOverride: true },
    { name: 'import/upload', actors: [sent(), { name: 'upload', steps: upload(on) }], needsOverride: false },
    { name: 'import/worker', actors: [sent(), { name: 'worker', steps: apply('worker', on, false) }], needsOverride: false },
  ];
}

/** One order of the steps of two actors, and what it leads to. */
export interface Schedule {
  // Actor and failpoint of each step that is taken. `over`: the step ends its actor without it.
  readonly steps: readonly { readonly actor: string; readonly point: string; readonly isOver: boolean }[];
  readonly world: World;
  readonly violations: readonly string[];
}

interface Node {
  readonly world: World;
  readonly mine: readonly [Mine, Mine];
  // Steps taken by each actor; all of them when it is over.
  readonly at: readonly [number, number];
  readonly steps: Schedule['steps'];
  readonly violations: readonly string[];
}

/** Tries every order of the steps of both actors. */
export function explore({ actors, needsOverride }: Case, on: Mechanisms): Schedule[] {
  const found: Schedule[] = [];
  const visit = (node: Node): void => {
    const next = ([0, 1] as const).flatMap((actor) => take(node, actor, actors) ?? []);
    for (const after of next) visit(after);
    if (next.length > 0) return;
    const isStuck = actors.some(({ steps }, actor) => (node.at[actor] ?? 0) < steps.length);
    const world = structuredClone(node.world);
    settle(world, on, needsOverride);
    const violations = [
      ...node.violations,
      ...(isStuck ? ['an actor waits for ever'] : []),
      ...judgeEnd(world, node, needsOverride),
    ];
    found.push({ steps: node.steps, world, violations: [...new Set(violations)] });
  };
  const imports: World['imports'] = [];
  visit({
    world: { imports, person: 'there', connected: true, keepsBody: false },
    mine: [{}, {}],
    at: [0, 0],
    steps: [],
    violations: [],
  });
  return found;
}

// Undefined when the actor waits or is over.
function take(node: Node, actor: 0 | 1, actors: Case['actors']): Node | undefined {
  const { name, steps } = actors[actor];
  const step = steps[node.at[actor]];
  if (step === undefined) return undefined;
  const { world, mine } = structuredClone({ world: node.world, mine: node.mine });
  const found = step.take(world, mine[actor]);
  if (found === 'wait') return undefined;
  const at: [number, number] = [...node.at];
  at[actor] = found === 'over' ? steps.length : at[actor] + 1;
  const violations =
    world.imports.filter(({ state, committed }) => state === 'accepted' && committed).length > 1 ? ['two running imports'] : [];
  return {
    world,
    mine,
    at,
    steps: [...node.steps, { actor: name, point: step.point, isOver: found === 'over' }],
    violations: [...node.violations, ...violations],
  };
}

// What is left over is done by the sweeper.
function settle(world: World, on: Mechanisms, needsOverride: boolean): void {
  for (const [row] of world.imports.entries()) {
    const mine: Mine = { row };
    for (const step of apply('sweeper', on, needsOverride)) if (step.take(world, mine) !== undefined) break;
  }
}

function judgeEnd({ imports, person, keepsBody }: World, { steps }: Node, needsOverride: boolean): string[] {
  const ends = imports
    .filter(({ committed, ends: times }) => committed && times !== 1)
    .map(({ ends: times }) => `an import ended ${times} times`);
  const hasErased = steps.some(({ point, isOver }) => point === 'erase.employee_emptied' && !isOver);
  const back = hasErased && person === 'there' ? ['an erased employee is back'] : [];
  const unasked = imports.some(({ state, allowed }) => needsOverride && state === 'applied' && !allowed);
  const body = keepsBody ? ['a body has an erased employee'] : [];
  return [...ends, ...back, ...body, ...(unasked ? ['employees were offboarded without an override'] : [])];
}

/** What a step found: it must wait, or its actor has nothing more to do. */
export type Found = 'wait' | 'over' | undefined;

type Take<W, M> = (world: W, mine: M) => Found;

/** Takes steps in order, and knows what it has read. */
export interface Actor<W, M> {
  readonly name: string;
  // Keys are failpoints that follow their step, or name the call that is the whole step.
  readonly steps: Readonly<Record<string, Take<W, M>>>;
}

/** Two actors in a world, and what may never be. */
export interface Case<W, M> {
  readonly name: string;
  readonly world: W;
  readonly actors: readonly [Actor<W, M>, Actor<W, M>];
  /** Returns what is wrong after a step. */
  readonly judge: (world: W) => readonly string[];
  /** Does what others do when both actors have ended. */
  readonly settle: (world: W) => void;
  /** Returns what is wrong after that. */
  readonly judgeEnd: (world: W, steps: Schedule<W>['steps']) => readonly string[];
}

/** One order of the steps of two actors, and what it leads to. */
export interface Schedule<W> {
  // Such as import/erase-17: case and number.
  readonly name: string;
  // Actor and failpoint of each step that is taken. `over`: the step ends its actor without it.
  readonly steps: readonly { readonly actor: string; readonly point: string; readonly isOver: boolean }[];
  // When both actors have ended, and when others have done the rest.
  readonly ended: W;
  readonly world: W;
  readonly violations: readonly string[];
}

interface Node<W, M> extends Omit<Schedule<W>, 'name' | 'ended'> {
  readonly mine: readonly [M, M];
  // Steps taken by each actor; all of them when it is over.
  readonly at: readonly [number, number];
}

/** Tries every order of the steps of both actors; a step that must wait is not taken. */
export function explore<W, M extends object>(one: Case<W, Partial<M>>): Schedule<W>[] {
  const found: Schedule<W>[] = [];
  const visit = (node: Node<W, Partial<M>>): void => {
    const next = ([0, 1] as const).flatMap((actor) => take(one, node, actor) ?? []);
    for (const after of next) visit(after);
    if (next.length > 0) return;
    const isStuck = one.actors.some(({ steps }, actor) => (node.at[actor] ?? 0) < Object.keys(steps).length);
    const world = structuredClone(node.world);
    one.settle(world);
    const atEnd = [...(isStuck ? ['an actor waits for ever'] : []), ...one.judgeEnd(world, node.steps)];
    const violations = [...new Set([...node.violations, ...atEnd])];
    found.push({ name: `${one.name}-${found.length + 1}`, steps: node.steps, ended: node.world, world, violations });
  };
  visit({ world: one.world, mine: [{}, {}], at: [0, 0], steps: [], violations: [] });
  return found;
}

// Undefined when the actor waits or is over.
function take<W, M>({ actors, judge }: Case<W, M>, node: Node<W, M>, actor: 0 | 1): Node<W, M> | undefined {
  const { name, steps } = actors[actor];
  const all = Object.entries(steps);
  const step = all[node.at[actor]];
  if (step === undefined) return undefined;
  const [point, takeStep] = step;
  const { world, mine } = structuredClone({ world: node.world, mine: node.mine });
  const found = takeStep(world, mine[actor]);
  if (found === 'wait') return undefined;
  const at: [number, number] = [...node.at];
  at[actor] = found === 'over' ? all.length : at[actor] + 1;
  return {
    world,
    mine,
    at,
    steps: [...node.steps, { actor: name, point, isOver: found === 'over' }],
    violations: [...node.violations, ...judge(world)],
  };
}

/**
 * Returns the one that SCHEDULE names, such as mask/erase-7, or every SCHEDULES_EVERY-th, 3 by
 * default. The proofs run all.
 */
export function selected<W>(schedules: readonly Schedule<W>[]): readonly Schedule<W>[] {
  const { SCHEDULE, SCHEDULES_EVERY = '3' } = process.env;
  return schedules.filter(({ name }, nth) => (SCHEDULE === undefined ? nth % Number(SCHEDULES_EVERY) === 0 : name === SCHEDULE));
}

import { randomBytes, randomUUID } from 'node:crypto';
import { createSeal } from '@survey/console/sign-in/seal.ts';
import { newSession, type Session } from '@survey/console/sign-in/session.ts';
import { createSessionStore, type SessionStore } from '@survey/console/sign-in/store.ts';
import * as fc from 'fast-check';
import { Redis } from 'ioredis';
import { explore, type Schedule } from '../failure/schedules/explore.ts';
import { SessionModel } from './session-model.ts';

const LIMITS = { idleSeconds: 1_800, maxMs: 2_700_000 };
const IDLE_MS = LIMITS.idleSeconds * 1_000;
const REPLACED_MS = 30_000;
const PROCESSES = 3;
const START_AT = Date.UTC(2026, 0, 1);

const user = fc.constantFrom('anna', 'ben');
const sid = fc.constantFrom(undefined, 'one', 'two');
// Which of the things that exist by then; they are few.
const which = fc.nat(5);

/**
 * What browsers, providers and time do. A request is a `request` that finds a session, and, any
 * number of steps later, its `save` or `rotate` with what it has found.
 */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('begin' as const), user, sid }) },
  {
    weight: 12,
    arbitrary: fc.record({
      verb: fc.constantFrom('start', 'request', 'request', 'request', 'look', 'look', 'save', 'rotate', 'stepUp', 'end'),
      which,
    }),
  },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('endAll' as const), user, sid }) },
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant('wait' as const),
      ms: fc.constantFrom(1, REPLACED_MS - 1, REPLACED_MS - 1, REPLACED_MS, IDLE_MS - 1, IDLE_MS - 1, IDLE_MS),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
export interface History {
  readonly steps: readonly (Step & { readonly process: number })[];
}

export const histories: fc.Arbitrary<History> = fc.record({
  steps: fc.array(
    fc.tuple(step, fc.nat(PROCESSES - 1)).map(([each, process]) => ({ ...each, process })),
    {
      minLength: 5,
      maxLength: 40,
      size: 'max',
    },
  ),
});

const asAnna = { user: 'anna', sid: 'one' } as const;
// The cookie of a browser that has not heard of its successor, and the latest one.
const [FIRST, LATEST] = [-1, 0];
const ACTORS: Readonly<Record<string, readonly Step[]>> = {
  save: [
    { verb: 'request', which: FIRST },
    { verb: 'save', which: LATEST },
  ],
  rotate: [
    { verb: 'request', which: FIRST },
    { verb: 'rotate', which: LATEST },
  ],
  linger: [
    { verb: 'wait', ms: REPLACED_MS - 1 },
    { verb: 'look', which: FIRST },
    { verb: 'wait', ms: 1 },
    { verb: 'look', which: FIRST },
    { verb: 'wait', ms: IDLE_MS - 2 },
  ],
  idle: [
    { verb: 'wait', ms: IDLE_MS - 1 },
    { verb: 'look', which: LATEST },
    { verb: 'wait', ms: IDLE_MS - 1 },
    { verb: 'look', which: LATEST },
    { verb: 'wait', ms: IDLE_MS },
  ],
  end: [{ verb: 'end', which: FIRST }],
  everywhere: [{ verb: 'endAll', user: 'anna', sid: undefined }],
  provider: [{ verb: 'endAll', ...asAnna }],
  signIn: [
    { verb: 'begin', user: 'anna', sid: 'two' },
    { verb: 'start', which: LATEST },
  ],
};

/** Every order of the steps of two actors with one session, each on a process of its own. */
export function sessionSchedules(): (History & { readonly name: string })[] {
  const names = Object.keys(ACTORS);
  const actor = (name: string) => ({
    name,
    steps: Object.fromEntries((ACTORS[name] ?? []).map(({ verb }, at) => [`${verb} ${at}`, () => undefined])),
  });
  const none = (): [] => [];
  return names.flatMap((one, at) =>
    names.slice(at).flatMap((other) => {
      const actors = [actor(one), { ...actor(other), name: `${other}'` }] as const;
      const found = explore({ name: `${one}/${other}`, world: {}, actors, judge: none, settle: none, judgeEnd: none });
      return found.map(({ name, steps }) => ({ name, steps: [...SIGNED_IN, ...historyOf(steps)] }));
    }),
  );
}

const SIGNED_IN: History['steps'] = [
  { verb: 'begin', ...asAnna, process: 0 },
  { verb: 'start', which: LATEST, process: 0 },
];

function historyOf(steps: Schedule<unknown>['steps']): History['steps'] {
  const rest = new Map<string, Step[]>();
  const requests: string[] = [];
  return steps.flatMap(({ actor }) => {
    const isOther = actor.endsWith("'");
    const left = rest.get(actor) ?? [...(ACTORS[actor.replace("'", '')] ?? [])];
    rest.set(actor, left);
    const step = left.shift();
    if (step === undefined) return [];
    if (step.verb === 'request') requests.push(actor);
    const isOwn = step.verb === 'save' || step.verb === 'rotate';
    const own = isOwn ? { which: requests.length - 1 - requests.lastIndexOf(actor) } : {};
    return [{ ...step, ...own, process: isOther ? 1 : 0 }];
  });
}

/** A line of the store's scripts, and what takes its place when a mechanism is removed. */
export type Ablation = readonly [line: string, replacement: string];

/** Runs histories on processes of their own Redis connections, and on the model. */
export class Histories implements AsyncDisposable {
  readonly #connections: readonly Redis[];
  readonly #freeClocks = Array.from({ length: 8 }, (_, number) => `test:clock:${number}`);
  readonly #ablation: Ablation | undefined;
  #ablated = 0;

  constructor(url: string, ablation?: Ablation) {
    this.#connections = Array.from({ length: PROCESSES }, () => new Redis(url));
    this.#ablation = ablation;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#connections.map((redis) => redis.quit()));
    if (this.#ablation !== undefined && this.#ablated === 0) throw new Error(`no script has this line: ${this.#ablation[0]}`);
  }

  /** @throws at the first step whose result is not that of the model. */
  async run({ steps }: History): Promise<void> {
    const clock = this.#freeClocks.pop();
    if (clock === undefined) throw new Error('too many histories at once');
    try {
      await this.#run(steps, clock);
    } finally {
      this.#freeClocks.push(clock);
    }
  }

  async #run(steps: History['steps'], clock: string): Promise<void> {
    const seal = createSeal([randomBytes(32)]);
    const stores = this.#connections.map((redis) => createSessionStore(this.#withClock(redis, clock), seal, LIMITS));
    const history = new Run(stores, async (ms) => {
      const at = START_AT + ms;
      await this.#connections[0]
        ?.multi()
        .del(clock)
        .rpush(clock, Math.floor(at / 1_000), (at % 1_000) * 1_000)
        .exec();
    });
    await history.wait(0);
    for (const each of steps) await history.take(each);
    await history.lookAtAll();
  }

  // The scripts ask a list for the time, which only the history moves.
  #withClock(redis: Redis, clock: string): Redis {
    const altered = (script: string): string => {
      const [line, replacement] = this.#ablation ?? ['', ''];
      if (line !== '' && script.includes(line)) this.#ablated += 1;
      return script.replace(line, replacement).replace("redis.call('TIME')", `redis.call('LRANGE', '${clock}', 0, 1)`);
    };
    return new Proxy(redis, {
      get: (target, name) => {
        if (name === 'eval') return (script: string, ...rest: [number]) => target.eval(altered(script), ...rest);
        if (name === 'callBuffer')
          return (command: string, script: string, ...rest: [number]) => target.callBuffer(command, altered(script), ...rest);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

interface SignIn {
  readonly user: string;
  readonly sid: string | undefined;
  readonly begunAt: number;
  readonly modelBegunAt: number;
}

interface Request {
  readonly id: string;
  readonly found: Session;
}

class Run {
  readonly #model = new SessionModel({ idleMs: IDLE_MS, maxMs: LIMITS.maxMs, replacedMs: REPLACED_MS });
  readonly #issuer = `https://${randomUUID()}.example`;
  readonly #stores: readonly SessionStore[];
  readonly #setTime: (ms: number) => Promise<void>;
  readonly #signIns: SignIn[] = [];
  readonly #ids: string[] = [];
  readonly #requests: Request[] = [];
  #count = 0;

  constructor(stores: readonly SessionStore[], setTime: (ms: number) => Promise<void>) {
    this.#stores = stores;
    this.#setTime = setTime;
  }

  async wait(ms: number): Promise<void> {
    this.#model.now += ms;
    await this.#setTime(this.#model.now);
  }

  async take(each: Step & { readonly process: number }): Promise<void> {
    const store = this.#stores[each.process];
    if (store === undefined) return;
    if (each.verb === 'wait') return this.wait(each.ms);
    if (each.verb === 'begin') {
      const { user, sid } = each;
      this.#signIns.push({ user, sid, begunAt: await store.now(), modelBegunAt: this.#model.moment() });
      return;
    }
    if (each.verb === 'endAll') {
      const { user, sid } = each;
      await store.endAll(this.#issuer, { subject: user, sid });
      return this.#model.endAll(sid ?? user);
    }
    const pick = <T>(things: readonly T[]): T | undefined => things.at(-1 - (each.which % Math.max(1, things.length)));
    if (each.verb === 'start') return this.#start(store, pick(this.#signIns));
    if (each.verb === 'request' || each.verb === 'look' || each.verb === 'end') {
      const id = pick(this.#ids);
      if (id === undefined) return;
      if (each.verb === 'end') {
        await store.end(id);
        return this.#model.end(id);
      }
      const found = await this.#find(store, id);
      if (each.verb === 'request' && found !== undefined) this.#requests.push({ id, found });
      return;
    }
    const request = pick(this.#requests);
    if (request !== undefined) await this.#write(store, request, each.verb);
  }

  async lookAtAll(): Promise<void> {
    for (const [at, id] of this.#ids.entries()) {
      const store = this.#stores[at % PROCESSES];
      if (store !== undefined) await this.#find(store, id);
    }
  }

  async #start(store: SessionStore, signIn: SignIn | undefined): Promise<void> {
    if (signIn === undefined) return;
    const { user, sid, begunAt, modelBegunAt } = signIn;
    const value = this.#nextValue();
    const identity = { issuerId: 'i', issuer: this.#issuer, subject: user, ...(sid !== undefined && { sid }) };
    const principal = { kind: 'admin', employeeId: 1, issuer: this.#issuer, subject: user } as const;
    const accounts = [{ id: 1, name: 'Account', principal, email: 'a@x.io', managed: 1 }];
    const id = await store.start(newSession({ ...identity, ...value, accounts }, begunAt), begunAt);
    const markers = sid === undefined ? [user] : [user, sid];
    same('start', id !== undefined, this.#model.start(id, markers, modelBegunAt, value));
    if (id !== undefined) this.#ids.push(id);
  }

  async #find(store: SessionStore, id: string): Promise<Session | undefined> {
    const found = await store.find(id);
    const { name, authTime, isReplaced, version } = found ?? {};
    const expected = this.#model.find(id);
    same('find', found && { name, version, isReplaced, authTime }, expected);
    return found;
  }

  async #write(store: SessionStore, { id, found }: Request, verb: string): Promise<void> {
    const value = { ...this.#nextValue(), ...(verb !== 'stepUp' && { authTime: found.authTime }) };
    const changed = { ...found, ...value };
    if (verb === 'save') return same('save', await store.save(id, changed), this.#model.save(id, found.version, value));
    const next = await store.rotate(id, changed);
    same(verb, next !== undefined, this.#model.rotate(id, next, found.version, value));
    if (next !== undefined) this.#ids.push(next);
  }

  #nextValue(): { name: string; authTime: number } {
    this.#count += 1;
    return { name: `value ${this.#count}`, authTime: this.#count };
  }
}

function same(verb: string, actual: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${verb}: the store says ${one}, the model ${other}`);
}

import type * as schedule from './explore.ts';
import { NAME } from './run-text-schedule.ts';

// One answer, its mask, and who changes them, as the steps between failpoints. Each step is one
// transaction. text-schedules.test.ts runs the same orders with the code of text-analysis on
// PostgreSQL.

export const CORRECTED = 'Ask nobody';
/** Masking policies: with and without names. */
export type Policy = 'names' | 'addresses';

const masked = (text: string, policy: Policy): string => (policy === 'names' ? text.replace(NAME, '[NAME]') : text);

export interface TextWorld {
  // Null when it is removed, or the account is deleted.
  text: string | null;
  version: number;
  mask: { readonly text: string; readonly policy: Policy } | null;
  // Attempts begun, while the answer is queued.
  attempts: number | null;
  // Version of the text that was given up.
  givenUp: number | null;
  // What the account wants, and what the last backfill has queued for.
  policy: Policy | null;
  planned: Policy | null;
  account: 'open' | 'closed' | 'deleted';
  isErased: boolean;
}

/** Mechanisms that an ablation removes. */
export interface TextMechanisms {
  // A result counts only for the text that it was made from, and so does giving up.
  readonly masksOfText: boolean;
  readonly givenUpText: boolean;
  // A result counts only for the policy that is wanted.
  readonly wantedPolicy: boolean;
  // An erasure masks the stored masks as well as the texts.
  readonly erasedMasks: boolean;
  // Nothing is written to a closed account whose rows are deleted.
  readonly closedAccount: boolean;
}

interface Mine {
  attempts: number;
  version: number;
  policy: Policy;
  result: string;
}

type Actor = schedule.Actor<TextWorld, Partial<Mine>>;
export type TextCase = schedule.Case<TextWorld, Partial<Mine>>;

// The fifth attempt is the last.
const MAX_ATTEMPTS = 5;
const FIRST: TextWorld = {
  text: `Ask ${NAME}`,
  version: 1,
  mask: null,
  attempts: 0,
  givenUp: null,
  policy: 'names',
  planned: 'names',
  account: 'open',
  isErased: false,
};

function queue(world: TextWorld): void {
  world.attempts = world.planned !== null && world.text !== null ? 0 : null;
}

/** A job. Its text may be one that no attempt can mask. */
const work = (name: string, on: TextMechanisms, fails = false): Actor => ({
  name,
  steps: {
    'mask.begun': (world, mine) => {
      if (world.attempts === null || world.text === null || world.planned === null) return 'over';
      world.attempts += 1;
      const { text, version, attempts, planned: policy } = world;
      Object.assign(mine, { version, attempts, policy, result: masked(text, policy) });
      return undefined;
    },
    'mask.performed': () => undefined,
    save: (world, { attempts = 0, version = 0, policy = 'names', result = '' }) => {
      if (world.account === 'deleted' || (on.wantedPolicy && world.planned !== policy)) return;
      const isOfText = version === world.version;
      if (fails && attempts >= MAX_ATTEMPTS && (isOfText || !on.givenUpText))
        Object.assign(world, { givenUp: version, attempts: null });
      if (!fails && world.attempts !== null && (isOfText || !on.masksOfText))
        Object.assign(world, { mask: { text: result, policy }, attempts: null });
    },
  },
});

// A new revision of the response.
const write = (name: string, text: string | null, on: TextMechanisms): Actor => ({
  name,
  steps: {
    [name]: (world) => {
      if (world.account === 'deleted' && on.closedAccount) return;
      Object.assign(world, { text, version: world.version + 1, mask: null, givenUp: null });
      queue(world);
    },
  },
});

function backfill(world: TextWorld): undefined {
  if (world.account === 'deleted' || world.planned === world.policy) return;
  Object.assign(world, { planned: world.policy, givenUp: null });
  queue(world);
  if (world.mask?.policy === world.policy) world.attempts = null;
}

const settings = (name: string, policy: Policy | null): Actor => ({
  name,
  steps: { 'settings.changed': (world) => void (world.policy = policy), backfill },
});

const retry: Actor = {
  name: 'retry',
  steps: {
    retry: (world) => {
      if (world.givenUp !== null) queue(world);
      world.givenUp = null;
    },
  },
};

const erase = (on: TextMechanisms): Actor => ({
  name: 'erase',
  steps: {
    'erase.texts_unlinked': ({ account }) => (account === 'deleted' ? 'over' : undefined),
    'erase.texts_masked': (world) => {
      const { text, mask, account } = world;
      if (account === 'deleted') return 'over';
      world.isErased = true;
      if (!text?.includes(NAME)) return undefined;
      Object.assign(world, { text: masked(text, 'names'), version: world.version + 1 });
      if (on.erasedMasks && mask !== null) world.mask = { ...mask, text: masked(mask.text, 'names') };
      return undefined;
    },
  },
});

const NOTHING = { text: null, mask: null, attempts: null, givenUp: null, planned: null };
const remove: Actor = {
  name: 'delete',
  steps: {
    'deletion.closed': (world) => void (world.account = 'closed'),
    'deletion.schema_empty': (world) => void Object.assign(world, { account: 'deleted', ...NOTHING }),
    'deletion.schema_finished': () => undefined,
  },
};

/** All pairs of actors. */
export function textCases(on: TextMechanisms): TextCase[] {
  const [mask, giveUp] = [work('mask', on), work('giveup', on, true)];
  const [correct, clear] = [write('correct', CORRECTED, on), write('clear', null, on)];
  const [change, off] = [settings('change', 'addresses'), settings('off', null)];
  const pair = (one: Actor, other: Actor, more: Partial<TextWorld> = {}): TextCase => ({
    name: `${one.name}/${other.name}`,
    world: { ...FIRST, ...more },
    actors: [one, other],
    judge,
    settle: (world) => {
      backfill(world);
      const mine: Partial<Mine> = {};
      Object.values(mask.steps).every((take) => take(world, mine) !== 'over');
    },
    judgeEnd,
  });
  const lastAttempt = { attempts: MAX_ATTEMPTS - 1 };
  return [
    ...[correct, clear, change, off, remove, work('again', on)].map((other) => pair(mask, other)),
    pair(mask, erase(on), { policy: 'addresses', planned: 'addresses' }),
    ...[correct, clear, change, off, retry, remove].map((other) => pair(giveUp, other, lastAttempt)),
    ...[change, off, remove, erase(on)].map((other) => pair(correct, other)),
    pair(erase(on), remove),
    pair(change, remove),
  ];
}

function judge({ text, mask, account, attempts, givenUp, version, planned }: TextWorld): string[] {
  const ofAnother = mask !== null && (text === null || mask.text !== masked(text, mask.policy));
  const isLeft = account === 'deleted' && [text, mask, attempts, givenUp, planned].some((each) => each !== null);
  return [
    ...(ofAnother ? ['a text has the mask of another'] : []),
    ...(isLeft ? ['a deleted account has rows'] : []),
    ...(givenUp !== null && givenUp !== version ? ['a new text is given up'] : []),
  ];
}

// When the work that is due is done.
function judgeEnd({ text, mask, policy, givenUp, isErased }: TextWorld): string[] {
  const isMissing = text !== null && policy !== null && givenUp === null && mask?.policy !== policy;
  const isBack = isErased && `${text} ${mask?.text}`.includes(NAME);
  return [...(isMissing ? ['a text has no mask'] : []), ...(isBack ? ['an erased name is shown'] : [])];
}

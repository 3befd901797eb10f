import type * as schedule from './explore.ts';
import { NAME } from './run-text-schedule.ts';

// One answer, its topics, and who changes them, as the steps between failpoints. Each step is one
// transaction. topic-schedules.test.ts runs the same orders with the code of text-analysis on
// PostgreSQL.

/** The topics of the account; the second one may be merged into the first. */
export const TOPICS = ['Alpha', 'Beta'] as const;
const [ALPHA, BETA] = TOPICS;
export const CORRECTED = `${ALPHA} again`;

export interface TopicWorld {
  // Null when it is removed, or the account is deleted.
  text: string | null;
  version: number;
  // Found automatically.
  topics: readonly string[];
  // What an admin decided: the answer is about Alpha, not about Beta.
  decision: 'none' | 'made' | 'lost';
  isMerged: boolean;
  // Attempts begun, while the answer is queued.
  attempts: number | null;
  // Version of the text that was given up.
  givenUp: number | null;
  // Taxonomy, null when the account wants no topics, and the one that the last backfill queued for.
  taxonomy: number | null;
  planned: number | null;
  account: 'open' | 'closed' | 'deleted';
  isErased: boolean;
}

/** Mechanisms that an ablation removes. */
export interface TopicMechanisms {
  // A result counts only for the text that it was made from, and so does giving up.
  readonly topicsOfText: boolean;
  readonly givenUpText: boolean;
  // A result counts only for the taxonomy that is wanted.
  readonly wantedTaxonomy: boolean;
  // A result replaces no decision.
  readonly decisions: boolean;
  // Nothing is written to a closed account whose rows are deleted.
  readonly closedAccount: boolean;
}

interface Mine {
  attempts: number;
  version: number;
  planned: number;
  found: readonly string[];
}

type Actor = schedule.Actor<TopicWorld, Partial<Mine>>;
export type TopicCase = schedule.Case<TopicWorld, Partial<Mine>>;

// The fifth attempt is the last.
const MAX_ATTEMPTS = 5;
const FIRST: TopicWorld = {
  text: `${BETA}, says ${NAME}`,
  version: 1,
  topics: [],
  decision: 'none',
  isMerged: false,
  attempts: 0,
  givenUp: null,
  taxonomy: 1,
  planned: 1,
  account: 'open',
  isErased: false,
};

function topicsOf({ text, isMerged }: TopicWorld): string[] {
  const named = TOPICS.filter((topic) => text?.includes(topic));
  return isMerged && named.length > 0 ? [ALPHA] : named;
}

function queue(world: TopicWorld): void {
  world.attempts = world.planned !== null && world.text !== null ? 0 : null;
}

/** A job. Its text may be one that no attempt can categorise. */
const work = (name: string, on: TopicMechanisms, fails = false): Actor => ({
  name,
  steps: {
    'categorise.begun': (world, mine) => {
      if (world.attempts === null || world.text === null || world.planned === null) return 'over';
      world.attempts += 1;
      const { version, attempts, planned } = world;
      Object.assign(mine, { version, attempts, planned, found: topicsOf(world) });
      return undefined;
    },
    'categorise.performed': () => undefined,
    save: (world, { attempts = 0, version = 0, planned = 0, found = [] }) => {
      if (world.account === 'deleted' || (on.wantedTaxonomy && world.planned !== planned)) return;
      const isOfText = version === world.version;
      if (fails && attempts >= MAX_ATTEMPTS && (isOfText || !on.givenUpText))
        Object.assign(world, { givenUp: version, attempts: null });
      if (fails || world.attempts === null || !(isOfText || !on.topicsOfText)) return;
      const isDecided = world.decision === 'made';
      world.attempts = null;
      world.topics = found.filter((topic) => !(isDecided || (world.isMerged && topic === BETA)));
      if (isDecided && !on.decisions) world.decision = 'lost';
    },
  },
});

// A new revision of the response.
const write = (name: string, text: string | null, on: TopicMechanisms): Actor => ({
  name,
  steps: {
    [name]: (world) => {
      if (world.account === 'deleted' && on.closedAccount) return;
      Object.assign(world, { text, version: world.version + 1, topics: [], givenUp: null });
      queue(world);
    },
  },
});

function backfill(world: TopicWorld): undefined {
  if (world.account === 'deleted' || world.planned === world.taxonomy) return;
  Object.assign(world, { planned: world.taxonomy, givenUp: null });
  queue(world);
}

const change = (name: string, step: string, taxonomy: (world: TopicWorld) => number | null): Actor => ({
  name,
  steps: { [step]: (world) => void (world.taxonomy = taxonomy(world)), backfill },
});

const merge = change('merge', 'topics.merged', (world) => {
  world.isMerged = true;
  if (world.topics.length > 0) world.topics = [ALPHA];
  return 2;
});

const decide: Actor = {
  name: 'decide',
  steps: { decide: (world) => void Object.assign(world, { topics: [], decision: 'made' }) },
};

const retry: Actor = {
  name: 'retry',
  steps: {
    retry: (world) => {
      if (world.givenUp !== null) queue(world);
      world.givenUp = null;
    },
  },
};

const erase: Actor = {
  name: 'erase',
  steps: {
    'erase.texts_unlinked': ({ account }) => (account === 'deleted' ? 'over' : undefined),
    'erase.texts_masked': (world) => {
      const { text, account, givenUp } = world;
      if (account === 'deleted') return 'over';
      world.isErased = true;
      if (!text?.includes(NAME)) return undefined;
      const version = world.version + 1;
      // What was found stays, and what was given up.
      Object.assign(world, { text: text.replace(NAME, '[NAME]'), version, givenUp: givenUp === null ? null : version });
      return undefined;
    },
  },
};

const NOTHING = { text: null, topics: [], decision: 'none', attempts: null, givenUp: null, planned: null };
const remove: Actor = {
  name: 'delete',
  steps: {
    'deletion.closed': (world) => void (world.account = 'closed'),
    'deletion.schema_empty': (world) => void Object.assign(world, { account: 'deleted', ...NOTHING }),
    'deletion.schema_finished': () => undefined,
  },
};

/** All pairs of actors. */
export function topicCases(on: TopicMechanisms): TopicCase[] {
  const [categorise, giveUp] = [work('categorise', on), work('giveup', on, true)];
  const [correct, clear] = [write('correct', CORRECTED, on), write('clear', null, on)];
  const off = change('off', 'settings.changed', () => null);
  const pair = (one: Actor, other: Actor, more: Partial<TopicWorld> = {}): TopicCase => ({
    name: `${one.name}/${other.name}`,
    world: { ...FIRST, ...more },
    actors: [one, other],
    judge,
    settle: (world) => {
      backfill(world);
      const mine: Partial<Mine> = {};
      Object.values(categorise.steps).every((take) => take(world, mine) !== 'over');
    },
    judgeEnd,
  });
  const lastAttempt = { attempts: MAX_ATTEMPTS - 1 };
  const found = { topics: [BETA] };
  return [
    ...[correct, clear, merge, off, erase, remove, work('again', on)].map((other) => pair(categorise, other)),
    ...[merge, decide, correct].map((other) => ({ ...pair(categorise, other, found), name: `recategorise/${other.name}` })),
    ...[correct, clear, merge, off, retry, erase, remove].map((other) => pair(giveUp, other, lastAttempt)),
    ...[merge, off, remove].map((other) => pair(correct, other, found)),
    pair(erase, merge, found),
  ];
}

function judge(world: TopicWorld): string[] {
  const { text, topics, decision, account, attempts, givenUp, version, planned } = world;
  const ofText = topicsOf(world);
  const isLeft = account === 'deleted' && (topics.length > 0 || [text, attempts, givenUp, planned].some((each) => each !== null));
  return [
    ...(topics.every((topic) => ofText.includes(topic)) ? [] : ['a text has the topics of another']),
    ...(decision === 'lost' ? ['a decision is undone'] : []),
    ...(isLeft ? ['a deleted account has rows'] : []),
    ...(givenUp !== null && givenUp !== version ? ['a new text is given up'] : []),
  ];
}

// When the work that is due is done.
function judgeEnd(world: TopicWorld): string[] {
  const { text, topics, decision, taxonomy, givenUp, isErased } = world;
  const isWanted = text !== null && taxonomy !== null && givenUp === null && decision === 'none';
  const isMissing = isWanted && topics.join() !== topicsOf(world).join();
  const isBack = isErased && text?.includes(NAME) === true;
  return [...(isMissing ? ['a text lacks its topics'] : []), ...(isBack ? ['an erased name is shown'] : [])];
}

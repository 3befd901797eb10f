import { LRUCache } from 'lru-cache';
import type { RequestedQuestion } from './rules/requested-questions.ts';
import { scaleOf, type Scale } from './rules/scale.ts';
import type { FoundQuestion } from './sql/account-snapshot.ts';

/** The scale of a question, valid while the question has this digest. */
interface KnownScale {
  readonly digest: string;
  readonly scale: Scale | undefined;
}

// Maximum cached scales, about 1 kB each.
const SCALES_HELD = 20_000;

/**
 * Caches the scales of questions, so that options are read and converted once per version of a
 * question.
 */
export interface ScaleCache {
  lookUp(accountId: number, questionIds: Iterable<number>): ReadonlyMap<number, KnownScale>;
  // Returns the questions of a snapshot that was read with the digests in `recalled`.
  ask(accountId: number, found: readonly FoundQuestion[], recalled: ReadonlyMap<number, KnownScale>): RequestedQuestion[];
}

export function createScaleCache(): ScaleCache {
  const known = new LRUCache<string, KnownScale>({ max: SCALES_HELD });
  const workOut = (accountId: number, { id, type, digest, options }: FoundQuestion): Scale | undefined => {
    if (options === null) throw new Error('cannot compute a scale: the question has no options');
    const scale = scaleOf(type, options);
    known.set(`${accountId}/${id}`, { digest, scale });
    return scale;
  };
  return {
    lookUp: (accountId, questionIds) => {
      const recalled = new Map<number, KnownScale>();
      for (const id of questionIds) {
        const one = known.get(`${accountId}/${id}`);
        if (one !== undefined) recalled.set(id, one);
      }
      return recalled;
    },
    ask: (accountId, found, recalled) =>
      found.map((question) => {
        const { id, type, scoreThreshold, digest } = question;
        const before = recalled.get(id);
        const scale = before?.digest === digest ? before.scale : workOut(accountId, question);
        return { id, type, scoreThreshold, scale };
      }),
  };
}

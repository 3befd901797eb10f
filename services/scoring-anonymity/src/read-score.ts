import { catchUp } from '@survey/postgres/account-cache.ts';
import { type Client, inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import type { Log } from '@survey/process/log.ts';
import { counter } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { LRUCache } from 'lru-cache';
import type { AccountAnswers } from './answers/account-answers.ts';
import { type AccountSnapshot, type FoundQuestion, readSnapshot } from './answers/account-snapshot.ts';
import type { AnswerCache } from './answers/answer-cache.ts';
import {
  createBlockIndex,
  createCellCache,
  type GuardCaches,
  type GuardedBasis,
  readGuardedScore,
} from './read-guarded-score.ts';
import type { Segment } from './read-blocks.ts';
import { type RequestedQuestion, type Unit, unitOf } from './rules/requested-questions.ts';
import { type Scale, scaleOf } from './rules/scale.ts';
import type { Period, ScoreInputs } from './rules/score.ts';
import { tallyAnswers } from './tally-answers.ts';

export interface ScoreQuery extends Period {
  readonly accountId: number;
  readonly questionIds: ReadonlySet<number>;
  // Time after which no client waits for the result.
  readonly deadline?: Date | undefined;
  // Options and participation only with the disclosure guard (rule SCORES-QUERY-5).
  readonly segment?: Segment | undefined;
}

/** Everything that determines a score, from one database snapshot. */
interface ScoreBasis extends ScoreInputs {
  readonly questions: readonly RequestedQuestion[];
  readonly unit: Unit;
  // Configured thresholds of the surveys in scope (rule SCORES-THRESHOLD-2).
  readonly scoreThresholds: readonly (number | null)[];
  // Only with the disclosure guard, whose rules then decide.
  readonly guarded?: GuardedBasis;
}

export type ReadScore = (query: ScoreQuery) => Promise<ScoreBasis>;

interface ReaderContext {
  readonly pool: Pool;
  readonly answerCache: AnswerCache;
  readonly scales: ScaleCache;
  readonly guard: GuardCaches;
  readonly log: Log;
}

interface ResolvedQuery {
  readonly snapshot: AccountSnapshot;
  readonly questions: RequestedQuestion[];
  readonly unit: Unit;
  // The inputs of the score when the account has the disclosure guard.
  readonly guarded: GuardedBasis | undefined;
}

const WHOLE: Segment = { surveyIds: undefined, optionIds: undefined, participation: undefined };

// Attempts to catch up when a concurrent call has moved the cached answers past this call's
// snapshot.
const ATTEMPTS = 3;

/**
 * Reads the inputs of a score, from the cache (synced to the snapshot that the thresholds come
 * from) or else from PostgreSQL.
 * @throws `invalid` for questions that have no score, before any answer is read (rules
 * SCORES-QUERY-2, SCORES-QUERY-3 and SCORES-QUERY-4)
 */
export function scoreReader(pool: Pool, answerCache: AnswerCache, { log, metrics }: ServiceContext): ReadScore {
  const guard: GuardCaches = { loadBlocks: createBlockIndex(), loadCells: createCellCache() };
  const context: ReaderContext = { pool, answerCache, scales: createScaleCache(), guard, log };
  const reads = counter(metrics, {
    name: 'score_reads_total',
    help: 'Computed scores, by the source of their answers.',
    labelNames: ['source'],
  });
  return async (query) => {
    // The cache does not know in which survey an answer was given.
    const cached = query.segment?.surveyIds === undefined ? await fromCache(context, query) : undefined;
    const basis = cached ?? (await fromDatabase(context, query));
    reads.inc({ source: cached === undefined ? 'database' : 'cache' });
    return basis;
  };
}

async function fromCache(context: ReaderContext, query: ScoreQuery): Promise<ScoreBasis | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const cached = context.answerCache.get(query.accountId);
    if (cached === undefined) return undefined;
    const { snapshot, questions, unit, guarded } = await inAccountSnapshot(
      context.pool,
      query.accountId,
      (tx) => resolveQuery(context, tx, query, cached),
      { ...query, keepsPlans: true },
    );
    const resolved = { questions, unit, scoreThresholds: thresholdsOf(questions) };
    if (guarded !== undefined) return { ...guarded, guarded, ...resolved };
    const catchingUp = { accountId: query.accountId, cache: context.answerCache, log: context.log };
    if (catchUp(cached, snapshot, catchingUp)) return { ...cached.tally(questions, query), ...resolved };
  }
  return undefined;
}

function fromDatabase(context: ReaderContext, query: ScoreQuery): Promise<ScoreBasis> {
  return inAccountSnapshot(
    context.pool,
    query.accountId,
    async (tx) => {
      const { snapshot, questions, unit, guarded } = await resolveQuery(context, tx, query);
      const resolved = { questions, unit, scoreThresholds: thresholdsOf(questions) };
      if (guarded !== undefined) return { ...guarded, guarded, ...resolved };
      context.answerCache.load(query.accountId, snapshot.answers);
      const { scoreThresholds = resolved.scoreThresholds, ...inputs } = await tallyAnswers(tx, {
        ...query,
        questions,
        surveyIds: query.segment?.surveyIds,
      });
      return { ...inputs, ...resolved, scoreThresholds };
    },
    query,
  );
}

async function resolveQuery(
  { scales, guard }: ReaderContext,
  tx: Client,
  query: ScoreQuery,
  cached?: AccountAnswers,
): Promise<ResolvedQuery> {
  const { accountId } = query;
  const questionIds = [...query.questionIds];
  const cachedScales = scales.lookUp(accountId, questionIds);
  const snapshot = await readSnapshot(tx, { accountId, questionIds, cachedScales, cached });
  const questions = scales.resolve(accountId, snapshot.questions, cachedScales);
  const unit = unitOrReject(query.questionIds, questions);
  const { isGuarded, timeline } = snapshot;
  if (!isGuarded) rejectSegment(query.segment);
  const segment = query.segment ?? WHOLE;
  const guarded = isGuarded ? await readGuardedScore(tx, guard, { ...query, ...segment, timeline, questions }) : undefined;
  return { snapshot, questions, unit, guarded };
}

const thresholdsOf = (questions: readonly RequestedQuestion[]): (number | null)[] =>
  questions.map(({ scoreThreshold }) => scoreThreshold);

function rejectSegment({ optionIds, participation }: Segment = WHOLE): void {
  const used = Object.entries({ attribute_option_ids: optionIds, participation });
  const names = used.flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0) return;
  const detail = 'must be left out: the account does not have the disclosure guard';
  const errors = names.map((name) => ({ pointer: `/${name}`, detail }));
  throw invalid(`${names[0]} ${detail}`, errors);
}

function unitOrReject(questionIds: ReadonlySet<number>, questions: readonly RequestedQuestion[]): Unit {
  const unit = unitOf(questionIds, questions);
  if (typeof unit === 'string') return unit;
  throw invalid(`question_ids ${unit.reason}`, [{ pointer: '/question_ids', detail: unit.reason }]);
}

/** The scale of a question, valid while the question has this digest. */
interface CachedScale {
  readonly digest: string;
  readonly scale: Scale | undefined;
}

// Maximum cached scales, about 1 kB each.
const SCALES_CACHED = 20_000;

/**
 * Caches the scales of questions, so that options are read and converted once per version of a
 * question.
 */
interface ScaleCache {
  lookUp(accountId: number, questionIds: Iterable<number>): ReadonlyMap<number, CachedScale>;
  // Returns the questions of a snapshot that was read with the digests of `cachedScales`.
  resolve(
    accountId: number,
    questions: readonly FoundQuestion[],
    cachedScales: ReadonlyMap<number, CachedScale>,
  ): RequestedQuestion[];
}

function createScaleCache(): ScaleCache {
  const scales = new LRUCache<string, CachedScale>({ max: SCALES_CACHED });
  const workOut = (accountId: number, { id, type, digest, options }: FoundQuestion): Scale | undefined => {
    if (options === null) throw new Error('cannot compute a scale: the question has no options');
    const scale = scaleOf(type, options);
    scales.set(`${accountId}/${id}`, { digest, scale });
    return scale;
  };
  return {
    lookUp: (accountId, questionIds) => {
      const cachedScales = new Map<number, CachedScale>();
      for (const id of questionIds) {
        const cached = scales.get(`${accountId}/${id}`);
        if (cached !== undefined) cachedScales.set(id, cached);
      }
      return cachedScales;
    },
    resolve: (accountId, questions, cachedScales) =>
      questions.map((question) => {
        const { id, type, scoreThreshold, digest } = question;
        const cached = cachedScales.get(id);
        const scale = cached?.digest === digest ? cached.scale : workOut(accountId, question);
        return { id, type, scoreThreshold, scale };
      }),
  };
}

import { readAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { Log } from '@survey/process/log.ts';
import { counter } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { invalid } from '@survey/rpc/refusal.ts';
import type { AccountAnswers, Period, ScoreInputs } from './answers/account-answers.ts';
import type { AnswerMemory } from './answers/answer-memory.ts';
import { rememberScales, type KnownScales } from './known-scales.ts';
import { unitOf, type AskedQuestion, type Unit } from './rules/asked-questions.ts';
import { readSnapshot, type AccountSnapshot } from './sql/account-snapshot.ts';
import { tallyAnswers, type RespondentFilter } from './sql/tally-answers.ts';

export interface ScoreQuery extends Period {
  readonly accountId: number;
  readonly questionIds: ReadonlySet<number>;
  // When nobody waits for the answer any more.
  readonly deadline?: Date | undefined;
  // No parameter of the API leads here yet (rule SCORES-QUERY-5).
  readonly only?: RespondentFilter | undefined;
}

/** Everything that decides about a score, from one snapshot. */
export interface ScoreBasis extends ScoreInputs {
  readonly questions: readonly AskedQuestion[];
  readonly unit: Unit;
}

export type ReadScore = (query: ScoreQuery) => Promise<ScoreBasis>;

interface Reading {
  readonly pool: Pool;
  readonly memory: AnswerMemory;
  readonly scales: KnownScales;
  readonly log: Log;
}

interface Asked {
  readonly snapshot: AccountSnapshot;
  readonly questions: AskedQuestion[];
  readonly unit: Unit;
}

// How often to look again when somebody else's call has taken the answers further than this one's snapshot.
const ATTEMPTS = 3;

/**
 * Reads what a score is made of. Answers come from memory when the account is there, brought up to the snapshot that the thresholds are
 * from; otherwise PostgreSQL adds them up. Throws `invalid` for questions that have no score (rules SCORES-QUERY-2, SCORES-QUERY-3 and SCORES-QUERY-4), before any answer is
 * looked at.
 */
export function scoreReader(pool: Pool, memory: AnswerMemory, { log, metrics }: ServiceTools): ReadScore {
  const reading: Reading = { pool, memory, scales: rememberScales(), log };
  const reads = counter(metrics, { name: 'score_reads_total', help: 'Scores by where answers came from', labelNames: ['from'] });
  return async (query) => {
    const remembered = query.only === undefined ? await fromMemory(reading, query) : undefined;
    const basis = remembered ?? (await fromDatabase(reading, query));
    reads.inc({ from: remembered === undefined ? 'database' : 'memory' });
    return basis;
  };
}

async function fromMemory(reading: Reading, query: ScoreQuery): Promise<ScoreBasis | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const held = reading.memory.get(query.accountId);
    if (held === undefined) return undefined;
    const { snapshot, questions, unit } = await readAccount(
      reading.pool,
      query.accountId,
      (tx) => ask(reading, tx, query, held),
      query,
    );
    if (catchUp(reading, held, snapshot, query.accountId)) return { ...held.tally(questions, query), questions, unit };
  }
  return undefined;
}

/** Brings the answers up to the snapshot. False when they are further already, or can only be loaded again. */
function catchUp({ memory, log }: Reading, held: AccountAnswers, snapshot: AccountSnapshot, accountId: number): boolean {
  const { timeline, sequence, changes } = snapshot;
  if (timeline === held.timeline && sequence <= held.sequence) return sequence === held.sequence;
  try {
    if (timeline !== held.timeline) throw new Error('the database has begun another timeline');
    if (changes === undefined) throw new Error('too much has changed');
    held.follow(changes);
    memory.resized(accountId, held);
    return true;
  } catch (error) {
    log.warn({ err: error, accountId, timeline, heldTimeline: held.timeline }, 'cached answers dropped');
    memory.drop(accountId);
    return false;
  }
}

function fromDatabase(reading: Reading, query: ScoreQuery): Promise<ScoreBasis> {
  return readAccount(
    reading.pool,
    query.accountId,
    async (tx) => {
      const { snapshot, questions, unit } = await ask(reading, tx, query);
      reading.memory.load(query.accountId, snapshot.answers);
      return { ...(await tallyAnswers(tx, { ...query, questions })), questions, unit };
    },
    query,
  );
}

async function ask({ scales }: Reading, tx: Client, query: ScoreQuery, held?: AccountAnswers): Promise<Asked> {
  const { accountId } = query;
  const questionIds = [...query.questionIds];
  const known = scales.recall(accountId, questionIds);
  const snapshot = await readSnapshot(tx, { accountId, questionIds, known, held });
  const questions = scales.ask(accountId, snapshot.questions, known);
  return { snapshot, questions, unit: unitOrRefuse(query.questionIds, questions) };
}

function unitOrRefuse(askedIds: ReadonlySet<number>, found: readonly AskedQuestion[]): Unit {
  const unit = unitOf(askedIds, found);
  if (typeof unit === 'string') return unit;
  throw invalid(`question_ids ${unit.because}`, [{ pointer: '/question_ids', detail: unit.because }]);
}

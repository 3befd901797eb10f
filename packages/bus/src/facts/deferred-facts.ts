import type { Erasure } from '../employee-erasure.ts';
import type { FactKind } from '../streams.ts';
import { type Client, escapeLiteral, type Pool } from '@survey/postgres/database.ts';
import { readBatches } from '@survey/postgres/stream-rows.ts';
import { markDue, type DueSchema } from '@survey/postgres/due.ts';
import { Fact } from '@survey/proto/intake/v1/intake.ts';
import { saveDeadLetters } from './consume-facts.ts';
import { employeeKey } from './employees.ts';
import { replaceFormerImportIds } from './former-import-ids.ts';
import { validateFacts, type IncomingFact, type RejectedFact, type ValidFact } from './fact.ts';

/** The deferred facts of one kind in a service's table deferred_fact. */
export interface DeferredKind<K extends FactKind> {
  readonly schema: DueSchema;
  readonly kind: K;
}

/** A fact to store until what it refers to exists. */
export interface DeferredFact {
  readonly objectId: string | number;
  // Key of an employee (employeeKey), or of another object.
  readonly missingObject: string;
  readonly incoming: IncomingFact;
}

// The awaited object may appear, and its event pass by, while the fact is being deferred.
const FIRST_LOOK_MS = 2_000;

/**
 * Stores deferred facts: the newest per object and awaited object, from the load that had it last.
 * A fact that is received again keeps its stored content, in which an erased employee may be
 * masked.
 */
export async function deferFacts<K extends FactKind>(
  tx: Client,
  accountId: number,
  { schema, kind }: DeferredKind<K>,
  waiting: readonly DeferredFact[],
): Promise<void> {
  if (waiting.length === 0) return;
  await tx.query(
    `insert into ${schema}.deferred_fact as kept (account_id, kind, object_id, missing_object, revision, digest, fact, source, line)
     select $1::bigint, $2::text, f.*
     from unnest($3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[], $8::text[], $9::bigint[]) as f
     order by 3, 4
     on conflict (account_id, kind, object_id, missing_object) do update
     set revision = excluded.revision, digest = excluded.digest, source = excluded.source, line = excluded.line,
       fact = case when (excluded.revision, excluded.digest) = (kept.revision, kept.digest) then kept.fact else excluded.fact end
     where (excluded.revision, excluded.digest) >= (kept.revision, kept.digest)`,
    [
      accountId,
      kind,
      waiting.map(({ objectId }) => objectId),
      waiting.map(({ missingObject }) => missingObject),
      ...columnsOf(waiting.map(({ incoming }) => incoming)),
    ],
  );
  await markDue(tx, schema, 'facts', [accountId], FIRST_LOOK_MS);
}

/** Returns the columns revision, digest, fact, source and line of stored facts, as parameters. */
export function columnsOf(facts: readonly IncomingFact[]): unknown[][] {
  return [
    facts.map(({ revision }) => revision),
    facts.map(({ digest }) => digest),
    facts.map(({ fact }) => Buffer.from(Fact.encode(fact).finish())),
    facts.map(({ source }) => source),
    facts.map(({ line }) => line),
  ];
}

/** Facts that are read at a time, or fewer if they are large (BATCH_BYTES). */
export const BATCH_SIZE = 1_000;
export const BATCH_BYTES: number = 4 * 2 ** 20;

/** Returns whether there may be more rows than these. */
export function isFullBatch(rows: readonly Pick<DeferredRow, 'fact'>[]): boolean {
  return rows.length === BATCH_SIZE || rows.reduce((bytes, { fact }) => bytes + fact.length, 0) >= BATCH_BYTES;
}

/** Deletes and yields the facts that wait for one of these, in batches. */
export async function* takeDeferredFor<K extends FactKind>(
  tx: Client,
  accountId: number,
  { schema, kind }: DeferredKind<K>,
  missingObjects: readonly string[],
): AsyncGenerator<readonly ValidFact<K>[]> {
  if (missingObjects.length === 0) return;
  const query = `
    select object_id, missing_object, fact, revision, digest, source, line from ${schema}.deferred_fact
    where account_id = ${accountId} and kind = '${kind}' and missing_object in (${missingObjects.map(escapeLiteral).join()})`;
  for await (const rows of readBatches<DeferredRow & { object_id: string; missing_object: string }>(tx, query, BATCH_SIZE)) {
    await tx.query(
      `delete from ${schema}.deferred_fact f using unnest($3::text[], $4::text[]) as taken (object_id, missing_object)
       where f.account_id = $1::bigint and f.kind = $2 and f.object_id = taken.object_id and f.missing_object = taken.missing_object`,
      [accountId, kind, rows.map(({ object_id }) => object_id), rows.map(({ missing_object }) => missing_object)],
    );
    yield await readDeferredFacts(tx, accountId, { schema, kind }, rows);
  }
}

/** A deferred fact as stored. */
export interface DeferredRow {
  fact: Buffer;
  revision: number;
  // Digest of the fact as received: the stored content may be a part of it.
  digest: Buffer;
  source: string;
  line: number;
}

/**
 * Returns stored facts as they were before they were deferred, except for import_ids that their
 * employees no longer have. Rejects those that the schema of their kind no longer accepts.
 */
export async function readDeferredFacts<K extends FactKind>(
  tx: Client,
  accountId: number,
  { schema, kind }: DeferredKind<K>,
  rows: readonly DeferredRow[],
): Promise<readonly ValidFact<K>[]> {
  const facts = rows.map(({ fact, ...row }) => ({ fact: Fact.decode(fact), ...row, sequence: 0, position: 0 }));
  const { valid, rejected } = validateFacts(kind, facts);
  await rejectDeferred(tx, accountId, { schema, kind }, rejected);
  return replaceFormerImportIds(tx, accountId, valid);
}

/**
 * Turns deferred facts into dead letters. They no longer have a place in the stream, so the line
 * identifies a fact within its source.
 */
export async function rejectDeferred<K extends FactKind>(
  tx: Client,
  accountId: number,
  { schema, kind }: DeferredKind<K>,
  rejected: readonly RejectedFact<IncomingFact>[],
): Promise<void> {
  if (rejected.length === 0) return;
  const byLine = rejected.map(({ incoming, reason }) => ({ incoming: { ...incoming, position: incoming.line }, reason }));
  await saveDeadLetters(tx, { schema, kind, accountId }, byLine);
  const digests = rejected.map(({ incoming }) => incoming.digest);
  await tx.query(`delete from ${schema}.deferred_fact where account_id = $1::bigint and digest = any($2::bytea[])`, [
    accountId,
    digests,
  ]);
}

/** Returns the accounts that have deferred facts. */
export async function accountsWithDeferredFacts(pool: Pool, schema: DueSchema): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(`select id from ${schema}.accounts_with_deferred_facts() as id`);
  return rows.map(({ id }) => id);
}

/** Deletes the facts that wait for an erased employee. */
export async function deleteFactsOfErased(
  tx: Client,
  schema: 'export' | 'scoring' | 'text',
  { accountId, employeeId, importId }: Erasure,
): Promise<void> {
  const awaited = [{ id: employeeId }, ...(importId === null ? [] : [{ import_id: importId }])].map(employeeKey);
  await tx.query(`delete from ${schema}.deferred_fact where account_id = $1::bigint and missing_object = any($2::text[])`, [
    accountId,
    awaited,
  ]);
}

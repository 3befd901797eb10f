import { randomUUID } from 'node:crypto';
import { asIncoming } from '@survey/bus/fact-batch.ts';
import { employeeFacts } from '@survey/import-reconciler/intake/employee-facts.ts';
import { retryWaitingFacts } from '@survey/import-reconciler/intake/retry-waiting.ts';
import { reconcileImport } from '@survey/import-reconciler/jobs/reconcile-import.ts';
import { PLAN_VERSION } from '@survey/import-reconciler/sql/import-row.ts';
import { inAccount, openDatabase, type Pool } from '@survey/postgres/database.ts';
import { createLog } from '@survey/process/log.ts';
import { createMetrics } from '@survey/process/metrics.ts';
import type { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { afterAll, inject } from 'vitest';
import { createDatabase } from '../postgres-server.ts';
import type { Circumstances, ImportOutcome, Organisation, SentRecord } from './organisation.ts';
import { readOrganisation, readRows } from './read-organisation.ts';

export interface ReconcilerDatabase {
  // As the service connects, bound by row-level security.
  readonly pool: Pool;
  // The superuser's.
  readonly db: Pool;
}

/** A database of this file's own, and the service's code on it: without NATS, HTTP or a second process. Await it at the top of the file. */
export async function openReconcilerDatabase(maxConnections = 24): Promise<ReconcilerDatabase> {
  const server = inject('postgres');
  const database = await createDatabase(server);
  const tools = { log: createLog('test', 'silent'), metrics: createMetrics('test'), resources: new AsyncDisposableStack() };
  const own = new URL(database.url);
  own.username = 'survey_imports';
  own.password = server.rolePasswords.survey_imports;
  const pool = openDatabase({ url: own.href, name: 'reconciler', maxConnections }, tools);
  const db = openDatabase(
    { url: database.url, name: 'test', maxConnections: 8 },
    { ...tools, metrics: createMetrics('superuser') },
  );
  afterAll(async () => {
    await tools.resources.disposeAsync();
    await database.drop();
  });
  return { pool, db };
}

/** An account of its own, and what the tests do to it. */
export interface ReconcilingAccount {
  readonly accountId: number;
  // Accepts a snapshot as the service does, and reconciles it.
  importSnapshot(snapshot: readonly SentRecord[], around: Circumstances): Promise<ImportOutcome>;
  // Delivers facts as one message of the bus does; answers with the reasons of those that became dead letters.
  tell(facts: readonly Fact[]): Promise<string[]>;
  // What the service does after an import and every few seconds.
  retryWaiting(): Promise<void>;
  read(): Promise<Organisation>;
  // As they stand in the tables, apart from what tells when they came.
  readRows(): Promise<unknown>;
}

export async function createReconcilingAccount({ pool, db }: ReconcilerDatabase): Promise<ReconcilingAccount> {
  const { rows } = await db.query<{ account_id: number }>(
    "insert into admin.account (name) values ('test') returning account_id",
  );
  const accountId = rows[0]?.account_id ?? 0;
  const log = createLog('test', 'silent');
  const applyFacts = employeeFacts();
  return {
    accountId,
    importSnapshot: async (snapshot, around) => {
      const importUuid = randomUUID();
      await acceptImport(db, { accountId, importUuid, snapshot, around });
      const ending = await reconcileImport({ accountId, importUuid }, { pool, log, retentionDays: 30, progress: () => {} });
      if (ending === undefined) throw new Error('the import was not there');
      return readOutcome(db, accountId, importUuid);
    },
    tell: (facts) =>
      inAccount(pool, accountId, async (tx) => {
        const rejected = await applyFacts(tx, accountId, facts.map(asIncoming));
        return rejected.map(({ reason }) => reason);
      }),
    retryWaiting: () => retryWaitingFacts(pool, accountId),
    read: () => readOrganisation(db, accountId),
    readRows: () => readRows(db, accountId),
  };
}

interface Acceptance {
  readonly accountId: number;
  readonly importUuid: string;
  readonly snapshot: readonly SentRecord[];
  readonly around: Circumstances;
}

// In one statement, since this is not what is tested here.
async function acceptImport(db: Pool, { accountId, importUuid, snapshot, around }: Acceptance): Promise<void> {
  await db.query(
    `with settings as (
       insert into admin.integration (account_id, default_language, deletion_threshold) values ($1::bigint, $2, $3::numeric)
       on conflict (account_id) do update set default_language = $2, deletion_threshold = $3::numeric
     ), body as (
       insert into imports.payload (account_id, import_uuid, piece, data) values ($1::bigint, $4::uuid, 0, $5::bytea)
     )
     insert into imports.import (account_id, import_uuid, plan_version, content_encoding, employees_total, accepted_at, deletes_allowed)
     values ($1::bigint, $4::uuid, $6, 'identity', $7, make_timestamptz($8, 6, 30, 0, 0, 0, 'UTC'), $9)`,
    [
      accountId,
      around.defaultLanguage,
      around.threshold,
      importUuid,
      Buffer.from(JSON.stringify({ employees: snapshot })),
      PLAN_VERSION,
      snapshot.length,
      around.year,
      around.deletesAllowed,
    ],
  );
}

interface Said {
  readonly pointer: string;
  readonly code: string;
}

const CANCEL_WORDS: Readonly<Record<string, string>> = {
  'empty import_id': 'blank',
  'given twice': 'repeated',
  'above the threshold': 'threshold',
};

async function readOutcome(db: Pool, accountId: number, importUuid: string): Promise<ImportOutcome> {
  const { rows } = await db.query<ImportRow>(
    `select i.state, i.cancel_reasons, i.managed,
            jsonb_build_object('created', created, 'updated', updated, 'unchanged', unchanged, 'reactivated', reactivated,
                               'skipped', skipped, 'offboarded', offboarded) as counts,
            coalesce((select jsonb_agg(to_jsonb(r) order by r.index) from imports.result r
                      where r.account_id = i.account_id and r.import_uuid = i.import_uuid), '[]') as records
     from imports.import i where i.account_id = $1 and i.import_uuid = $2`,
    [accountId, importUuid],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the import is gone');
  const said = (all: readonly Said[]): string[] => all.map(({ code, pointer }) => `${code} ${pointer}`).sort();
  return {
    state: row.state,
    cancelled: row.cancel_reasons.map(cancelWord).sort(),
    counts: row.counts,
    managed: row.managed,
    records: row.records.map(({ index, import_id, outcome, reasons, warnings }) => ({
      index,
      import_id,
      outcome,
      reasons: said(reasons),
      warnings: said(warnings),
    })),
  };
}

interface ImportRow {
  readonly state: string;
  readonly cancel_reasons: readonly string[];
  readonly managed: number;
  readonly counts: Record<string, number>;
  readonly records: readonly {
    readonly index: number;
    readonly import_id: string;
    readonly outcome: string;
    readonly reasons: readonly Said[];
    readonly warnings: readonly Said[];
  }[];
}

function cancelWord(reason: string): string {
  const known = Object.entries(CANCEL_WORDS).find(([words]) => reason.includes(words));
  return known?.[1] ?? reason;
}

import { AccountSlots } from '@survey/import-reconciler/account-slots.ts';
import { createEmployeeFactHandler } from '@survey/import-reconciler/facts/employee-facts.ts';
import { retryDeferredFacts } from '@survey/import-reconciler/facts/deferred-employee-facts.ts';
import { reconcileImport } from '@survey/import-reconciler/apply/import-lifecycle.ts';
import { PhaseClock } from '@survey/import-reconciler/apply/import-phases.ts';
import { runDryRun } from '@survey/import-reconciler/apply/dry-run-import.ts';
import { rekeyEmployees } from '@survey/import-reconciler/rekey/rekey-employees.ts';
import { deleteUpload } from '@survey/import-reconciler/tables/stored-body.ts';
import { asIncoming, validateFacts } from '@survey/bus/facts/fact.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { createLog } from '@survey/process/log.ts';
import { createMetrics } from '@survey/process/metrics.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { toolOf } from '@survey/process/tool.ts';
import type { DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { afterAll, inject } from 'vitest';
import { createDatabase } from '../postgres-server.ts';
import { acceptImport, keepSnapshot } from './stored-snapshot.ts';
import type { Circumstances, ImportOutcome, Organisation, SentRecord } from './organisation.ts';
import type { SentMap } from './model-rekeying.ts';
import { readOutcome, triedOutcome } from './outcome.ts';
import { readOrganisation, readRows } from './read-organisation.ts';

export const RECONCILING = {
  retentionDays: 30,
  allowDeletesDays: 7,
  largeImports: new AccountSlots({ max: 1, maxPerAccount: 1 }),
};

export interface ReconcilerDatabase {
  // Connection of the service, bound by row-level security.
  readonly pool: Pool;
  // Superuser connection.
  readonly db: Pool;
}

/**
 * Runs the service's code on its own database, without NATS, HTTP or a second process. Call with
 * `await` at the top.
 */
export async function openReconcilerDatabase(maxConnections = 24): Promise<ReconcilerDatabase> {
  const server = inject('postgres');
  const database = await createDatabase(server);
  const context = toolOf('test');
  const own = new URL(database.url);
  own.username = 'survey_imports';
  own.password = server.rolePasswords.survey_imports;
  const pool = openDatabase({ url: own.href, name: 'reconciler', maxConnections, connectTimeoutMs: 30_000 }, context);
  const db = openDatabase(
    { url: database.url, name: 'test', maxConnections: 8, connectTimeoutMs: 30_000, statementTimeoutMs: 60_000 },
    { ...context, metrics: createMetrics('superuser') },
  );
  afterAll(async () => {
    await context.resources.disposeAsync();
    await database.drop();
  });
  return { pool, db };
}

/** An account of its own, and the test actions on it. */
export interface ReconcilingAccount {
  readonly accountId: number;
  // Accepts a snapshot as the service does, and reconciles it.
  importSnapshot(snapshot: readonly SentRecord[], around: Circumstances): Promise<ImportOutcome>;
  // Returns the outcome of a dry run.
  trySnapshot(snapshot: readonly SentRecord[], around: Circumstances): Promise<ImportOutcome>;
  // Gives employees other import_ids. Returns whether the map is refused.
  rekey(map: SentMap): Promise<boolean>;
  // Ingests facts as one message; returns the reasons of its dead letters.
  tell(facts: readonly Fact[]): Promise<string[]>;
  // Retries deferred facts, as the service does after an import and every few seconds. Returns the
  // number of transactions.
  retryWaiting(): Promise<number>;
  read(): Promise<Organisation>;
  // Table contents without arrival times.
  readRows(): Promise<unknown>;
}

export async function createReconcilingAccount({ pool, db }: ReconcilerDatabase): Promise<ReconcilingAccount> {
  const { rows } = await db.query<{ account_id: number }>(
    "insert into admin.account (name) values ('test') returning account_id",
  );
  const accountId = rows[0]?.account_id ?? 0;
  const log = createLog('test', 'silent');
  const applyFacts = createEmployeeFactHandler();
  const retry = retryDeferredFacts(pool);
  return {
    accountId,
    importSnapshot: async (snapshot, around) => {
      const importUuid = await acceptImport(db, { accountId, snapshot, around });
      const ending = await reconcileImport(
        { accountId, importUuid },
        {
          pool,
          log,
          ...RECONCILING,
          clock: new PhaseClock('wait'),
          progress: () => {},
        },
      );
      if (ending === undefined) throw new Error('the import was not there');
      return readOutcome(db, accountId, importUuid);
    },
    trySnapshot: async (snapshot, around) => {
      const checked = await keepSnapshot(db, { accountId, snapshot, around });
      const told: DryRunPart[] = [];
      const send = (part: DryRunPart): Promise<void> => Promise.resolve(void told.push(part));
      await runDryRun({
        pool,
        accountId,
        snapshot: checked,
        acceptedYear: around.year,
        send,
        signal: new AbortController().signal,
      });
      await inAccount(pool, accountId, (tx) => deleteUpload(tx, { accountId, importUuid: checked.snapshot_uuid }));
      return triedOutcome(told);
    },
    rekey: async ({ isByEmail, rows }) => {
      const head = { by_email: isByEmail, dry_run: false, expected_plan: Buffer.alloc(0) };
      const call = { accountId, requestId: 'test', deadline: new Date(), signal: new AbortController().signal, log };
      const sent = rows.map(([key, new_import_id], at) => ({ line: at + 2, key, new_import_id }));
      const messages = ReadableStream.from([{ head }, { rows: { rows: sent } }]);
      try {
        await rekeyEmployees({ pool, wake: () => undefined })(messages, call);
        return false;
      } catch (error) {
        if (error instanceof ApplicationError && error.message.includes('refused')) return true;
        throw error;
      }
    },
    tell: (facts) =>
      inAccount(pool, accountId, async (tx) => {
        const { valid, rejected } = validateFacts('employee', facts.map(asIncoming));
        const conflicts = valid.length === 0 ? [] : await applyFacts(tx, accountId, valid);
        return [...rejected, ...conflicts].map(({ reason }) => reason);
      }),
    retryWaiting: async () => {
      for (let turns = 1; ; turns += 1) if ((await retry(accountId)) !== 0) return turns;
    },
    read: () => readOrganisation(db, accountId),
    readRows: () => readRows(db, accountId),
  };
}

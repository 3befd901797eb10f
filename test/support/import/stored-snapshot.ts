import { randomUUID } from 'node:crypto';
import { PLAN_VERSION } from '@survey/import-reconciler/apply/import-lifecycle.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { CheckedSnapshot } from '@survey/proto/common/v1/import_outcome.ts';
import type { Circumstances, SentRecord } from './organisation.ts';

interface Sent {
  readonly accountId: number;
  readonly snapshot: readonly SentRecord[];
  readonly around: Circumstances;
}

const KEPT = `settings as (
    insert into admin.integration (account_id, default_language, deletion_threshold, identity_threshold, on_return)
    values ($1::bigint, $2, $3::numeric, $6::numeric, $7)
    on conflict (account_id) do update
      set default_language = $2, deletion_threshold = $3::numeric, identity_threshold = $6::numeric, on_return = $7
  ), body as (
    insert into imports.payload (account_id, import_uuid, chunk, data) values ($1::bigint, $4::uuid, 0, $5::bytea)
  )`;

function valuesOf({ accountId, snapshot, around }: Sent, importUuid: string): unknown[] {
  const body = Buffer.from(JSON.stringify({ employees: snapshot }));
  return [
    accountId,
    around.defaultLanguage,
    around.threshold,
    importUuid,
    body,
    around.identityThreshold ?? null,
    around.onReturn ?? 'keep',
  ];
}

/** Stores an accepted snapshot in one statement. Returns the import_uuid. */
export async function acceptImport(db: Pool, sent: Sent): Promise<string> {
  const importUuid = randomUUID();
  const { year, deletesAllowed } = sent.around;
  await db.query(
    `with ${KEPT}
     insert into imports.import (account_id, import_uuid, plan_version, content_encoding, employees_total, accepted_at, deletes_allowed)
     values ($1::bigint, $4::uuid, $8, 'identity', $9, make_timestamptz($10, 6, 30, 0, 0, 0, 'UTC'), $11)`,
    [...valuesOf(sent, importUuid), PLAN_VERSION, sent.snapshot.length, year, deletesAllowed],
  );
  return importUuid;
}

/** Stores a snapshot for a dry run in the same way. */
export async function keepSnapshot(db: Pool, sent: Sent): Promise<CheckedSnapshot> {
  const snapshotUuid = randomUUID();
  await db.query(
    `with ${KEPT} insert into imports.upload (account_id, import_uuid) values ($1::bigint, $4::uuid)`,
    valuesOf(sent, snapshotUuid),
  );
  return { snapshot_uuid: snapshotUuid, content_encoding: 'identity', employees_total: sent.snapshot.length };
}

import { randomUUID } from 'node:crypto';
import type { Pool } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { CheckedSnapshot } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import type { CheckSnapshotRequest } from '@survey/rpc/gen/survey/imports/v1/imports.ts';
import { invalid } from '@survey/rpc/refusal.ts';
import type { BodyLimits } from '../snapshot/body-bytes.ts';
import { contentEncoding } from '../snapshot/content-headers.ts';
import { deletePieces } from '../sql/payload.ts';
import { chunksOf } from './chunks-of.ts';
import { openReceiver, receiveSnapshot } from './receive-snapshot.ts';

/** Validates a snapshot as StartImport does, with the same refusals, and keeps it for a dry run: the sweeper clears it away after an hour. */
export const checkSnapshot =
  (pool: Pool, limits: BodyLimits) =>
  async (requests: AsyncIterable<CheckSnapshotRequest>, call: CallContext): Promise<CheckedSnapshot> => {
    const accountId = accountOf(call);
    const messages = requests[Symbol.asyncIterator]();
    const first = await messages.next();
    if (first.done === true || first.value.head == null) throw invalid('the first message is not the head');
    const receiver = await openReceiver(pool, accountId);
    const encoding = contentEncoding(first.value.head.content_encoding);
    const importUuid = randomUUID();
    try {
      const employees = await receiveSnapshot(chunksOf(messages), receiver, { pool, accountId, importUuid, encoding, limits });
      return { snapshot_uuid: importUuid, content_encoding: encoding, employees_total: employees };
    } catch (error) {
      await deletePieces(pool, accountId, importUuid);
      throw error;
    }
  };

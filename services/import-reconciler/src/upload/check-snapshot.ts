import type { CheckedSnapshot } from '@survey/proto/common/v1/import_outcome.ts';
import type { CheckSnapshotRequest } from '@survey/proto/imports/v1/imports.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { BodyLimits } from '../snapshot/body-bytes.ts';
import { saveChecked } from '../tables/stored-body.ts';
import { receiveSnapshot } from './receive-snapshot.ts';
import type { Uploads } from './uploads.ts';

/**
 * Validates a snapshot with the same errors as StartImport, and stores it for a dry run,
 * which deletes it. The sweeper does so after an hour when none follows.
 */
export const checkSnapshot =
  (uploads: Uploads, limits: BodyLimits) =>
  async (messages: AsyncIterable<CheckSnapshotRequest>, call: CallContext): Promise<CheckedSnapshot> => {
    const accountId = accountOf(call);
    return uploads.receive(call, accountId, async () => {
      const snapshot = await receiveSnapshot(messages, { uploads, accountId, limits });
      const { importUuid, contentEncoding, employeesTotal, largestRecordBytes } = snapshot;
      await using storedBody = snapshot.storedBody;
      await storedBody.finish();
      await uploads.inAccount(accountId, (tx) => saveChecked(tx, { accountId, importUuid }, largestRecordBytes));
      storedBody.keep();
      return { snapshot_uuid: importUuid, content_encoding: contentEncoding, employees_total: employeesTotal };
    });
  };

import { randomUUID } from 'node:crypto';
import type { CheckedSnapshot } from '@survey/proto/common/v1/import_outcome.ts';
import type { CheckSnapshotRequest } from '@survey/proto/imports/v1/imports.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { BodyLimits } from '../snapshot/body-bytes.ts';
import { saveChecked } from '../tables/stored-body.ts';
import { parseContentEncoding, readHead } from './upload-head.ts';
import { receiveSnapshot, rejectUpload } from './receive-snapshot.ts';
import { BodyStore } from './store-body.ts';
import type { Uploads } from './uploads.ts';

/**
 * Validates a snapshot with the same errors as StartImport, and stores it for a dry run,
 * which deletes it. The sweeper does so after an hour when none follows.
 */
export const checkSnapshot =
  (uploads: Uploads, limits: BodyLimits) =>
  async (requests: AsyncIterable<CheckSnapshotRequest>, call: CallContext): Promise<CheckedSnapshot> => {
    const accountId = accountOf(call);
    return uploads.receive(call, accountId, async () => {
      const { head, chunks } = await readHead(requests);
      const importUuid = randomUUID();
      await using body = new BodyStore(uploads, { accountId, importUuid });
      try {
        const encoding = parseContentEncoding(head.content_encoding);
        const { employees, largestBytes } = await receiveSnapshot(chunks, { uploads, accountId, body, encoding, limits });
        await body.finish();
        await uploads.inAccount(accountId, (tx) => saveChecked(tx, { accountId, importUuid }, largestBytes));
        body.keep();
        return { snapshot_uuid: importUuid, content_encoding: encoding, employees_total: employees };
      } catch (error) {
        return await rejectUpload(uploads, accountId, error);
      }
    });
  };

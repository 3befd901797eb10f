import type { CheckedSnapshot } from '@survey/proto/common/v1/import_outcome.ts';
import type { CheckSnapshotRequest } from '@survey/proto/imports/v1/imports.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { BodyLimits } from '../snapshot/body-bytes.ts';
import { saveChecked } from '../tables/stored-body.ts';
import { contentEncoding } from './content-headers.ts';
import { receiveSnapshot, rejectUnconnectedFirst } from './receive-snapshot.ts';
import { receiveUpload } from './receive-upload.ts';
import type { Uploads } from './uploads.ts';

/**
 * Validates a snapshot with the same errors as StartImport, and stores it for a dry run,
 * which deletes it. The sweeper does so after an hour when none follows.
 */
export const checkSnapshot =
  (uploads: Uploads, limits: BodyLimits) =>
  async (requests: AsyncIterable<CheckSnapshotRequest>, call: CallContext): Promise<CheckedSnapshot> => {
    const accountId = accountOf(call);
    return receiveUpload(uploads, requests, call, ({ importUuid, head: { content_encoding }, chunks, body }) =>
      rejectUnconnectedFirst(uploads, accountId, async () => {
        const encoding = contentEncoding(content_encoding);
        const { employees, largestBytes } = await receiveSnapshot(chunks, { uploads, accountId, body, encoding, limits });
        await body.finish();
        await uploads.inAccount(accountId, (tx) => saveChecked(tx, { accountId, importUuid }, largestBytes));
        return { snapshot_uuid: importUuid, content_encoding: encoding, employees_total: employees };
      }),
    );
  };

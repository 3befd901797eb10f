import { randomUUID } from 'node:crypto';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { CheckedSnapshot } from '@survey/rpc/gen/survey/common/v1/import_outcome.ts';
import type { CheckSnapshotRequest } from '@survey/rpc/gen/survey/imports/v1/imports.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { BodyLimits } from '../snapshot/body-bytes.ts';
import { contentEncoding } from '../snapshot/content-headers.ts';
import { saveLargestRecord } from '../sql/large-records.ts';
import { chunksOf } from './chunks-of.ts';
import { BodyStore } from './store-body.ts';
import { receiveSnapshot, rejectUnconnectedFirst } from './receive-snapshot.ts';
import type { Uploads } from './uploads.ts';

/**
 * Validates a snapshot with the same errors as StartImport, and stores it for a dry run; the
 * sweeper deletes it after an hour.
 */
export const checkSnapshot =
  (uploads: Uploads, limits: BodyLimits) =>
  async (requests: AsyncIterable<CheckSnapshotRequest>, call: CallContext): Promise<CheckedSnapshot> => {
    const accountId = accountOf(call);
    return uploads.receive(call, accountId, async () => {
      const messages = requests[Symbol.asyncIterator]();
      const first = await messages.next();
      if (first.done === true || first.value.head == null) throw invalid('the first message must be the head');
      const { content_encoding } = first.value.head;
      const importUuid = randomUUID();
      const body = new BodyStore(uploads, { accountId, importUuid });
      try {
        return await rejectUnconnectedFirst(uploads, accountId, async () => {
          const encoding = contentEncoding(content_encoding);
          const received = { uploads, accountId, body, encoding, limits };
          const { employees, largestBytes } = await receiveSnapshot(chunksOf(messages), received);
          await body.finish();
          await uploads.inAccount(accountId, (tx) => saveLargestRecord(tx, { accountId, importUuid }, largestBytes));
          return { snapshot_uuid: importUuid, content_encoding: encoding, employees_total: employees };
        });
      } catch (error) {
        await body.discard();
        throw error;
      }
    });
  };

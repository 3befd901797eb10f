import type { Pool } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { DryRunPart } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import type { DryRunImportRequest } from '@survey/rpc/gen/survey/imports/v1/imports.ts';
import { busy, invalid } from '@survey/rpc/refusal.ts';
import { rehearseImport, type Rehearsal } from '../jobs/rehearse-import.ts';
import { deletePieces } from '../sql/payload.ts';

/** Tries a checked snapshot, one at a time in this process: a dry run takes the memory and the connections of an import. */
export function dryRunImport(pool: Pool) {
  let isRunning = false;
  return async function* ({ snapshot }: DryRunImportRequest, call: CallContext): AsyncIterable<DryRunPart> {
    const accountId = accountOf(call);
    if (snapshot === null) throw invalid('the request names no snapshot');
    if (isRunning) throw busy('another dry run is in progress: try again when it has ended');
    isRunning = true;
    try {
      yield* rehearsed({ pool, accountId, snapshot, acceptedYear: new Date().getUTCFullYear(), signal: call.signal });
    } finally {
      isRunning = false;
      await deletePieces(pool, accountId, snapshot.snapshot_uuid);
    }
  };
}

// As fast as the caller takes it; the transaction is over before this is.
async function* rehearsed(rehearsal: Omit<Rehearsal, 'tell'>): AsyncIterable<DryRunPart> {
  const { readable, writable } = new TransformStream<DryRunPart, DryRunPart>();
  const writer = writable.getWriter();
  const done = rehearseImport({ ...rehearsal, tell: (part) => writer.write(part) }).then(
    () => writer.close(),
    (error: unknown) => writer.abort(error),
  );
  try {
    yield* readable;
  } finally {
    await done.catch(() => undefined);
  }
}

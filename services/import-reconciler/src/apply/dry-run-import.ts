import { inAccount, type Pool } from '@survey/postgres/database.ts';
import type { DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import type { DryRunImportRequest } from '@survey/proto/imports/v1/imports.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import { AccountSlots } from '../account-slots.ts';
import { deleteUpload, hasLargeRecords } from '../tables/stored-body.ts';
import { runDryRun, type DryRunOptions } from './run-dry-run.ts';

// Maximum concurrent dry runs; each uses the memory and connections of an import.
export const MAX_DRY_RUNS = 2;

/**
 * Serves dry runs of checked snapshots, one at a time per account. A queued dry run reports its
 * position in the queue.
 */
export function dryRunImport(pool: Pool, largeImports: AccountSlots) {
  const slots = new AccountSlots({ max: MAX_DRY_RUNS, maxPerAccount: 1 });
  return async function* ({ snapshot }: DryRunImportRequest, call: CallContext): AsyncIterable<DryRunPart> {
    const accountId = accountOf(call);
    if (snapshot === null) throw invalid('the request must contain a snapshot');
    const owner = { accountId, importUuid: snapshot.snapshot_uuid };
    try {
      yield* streamParts(call.signal, async ({ send, signal }) => {
        // The stream itself reports that the caller has disconnected.
        const waiting = { signal, onPosition: (position: number) => void send({ position }).catch(() => undefined) };
        const options = { pool, accountId, snapshot, signal, send };
        const isLarge = await inAccount(pool, accountId, (tx) => hasLargeRecords(tx, owner));
        const run = isLarge
          ? () => runLargeDryRun(options, (work) => largeImports.run(accountId, work, waiting))
          : () => runDryRun(options);
        await slots.run(accountId, run, waiting);
      });
    } finally {
      await inAccount(pool, accountId, (tx) => deleteUpload(tx, owner));
    }
  };
}

// Frees the memory slot once the outcome is known, even when the caller reads the records slowly.
async function runLargeDryRun(options: DryRunOptions, inSlot: (work: () => Promise<void>) => Promise<void>): Promise<void> {
  const planned = Promise.withResolvers<void>();
  const send: DryRunOptions['send'] = (part) => {
    if (part.outcome != null) planned.resolve();
    return options.send(part);
  };
  let finished = Promise.resolve();
  await inSlot(() => {
    finished = runDryRun({ ...options, send });
    return Promise.race([planned.promise, finished]);
  });
  await finished;
}

// Streams parts as fast as the caller reads them. The transaction ends before the stream does.
async function* streamParts(
  callerSignal: AbortSignal,
  work: (caller: Pick<DryRunOptions, 'send' | 'signal'>) => Promise<void>,
): AsyncIterable<DryRunPart> {
  const { readable, writable } = new TransformStream<DryRunPart, DryRunPart>();
  const writer = writable.getWriter();
  const disconnected = new AbortController();
  const signal = AbortSignal.any([callerSignal, disconnected.signal]);
  // Rejected if the stream has ended or was aborted before, when there is nothing left to do.
  const abortStream = (): void => void writer.abort(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', abortStream);
  const done = work({ send: (part) => writer.write(part), signal }).then(
    () => writer.close(),
    (error: unknown) => writer.abort(error),
  );
  try {
    yield* readable;
  } finally {
    disconnected.abort(new Error('the caller has disconnected'));
    // `readable` has passed its error on.
    await done.catch(() => undefined);
  }
}

import type { CheckSnapshotRequest } from '@survey/proto/admin/v1/admin.ts';
import type { DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { causeOf } from '@survey/process/cause-of.ts';
import { CommandError, EXIT } from '../command-error.ts';
import type { AccountAdmin } from '../connection.ts';
import type { Source } from '../load/source.ts';
import type { Progress } from '../progress.ts';
import type { DryRunOutput } from './dry-run-output.ts';

interface DryRun {
  accountId: number;
  source: Source;
  progress: Progress;
  output: DryRunOutput;
}

/**
 * Uploads the snapshot, runs its dry run, passes the results to `output`, and returns the exit
 * code.
 */
export async function dryRun(admin: AccountAdmin, { accountId, source, progress, output }: DryRun): Promise<number> {
  try {
    const snapshot = await admin.checkSnapshot(snapshotMessages(accountId, withProgress(source, progress)));
    let exitCode: number = EXIT.failed;
    for await (const part of admin.dryRunImport({ account_id: accountId, snapshot })) {
      exitCode = (await handlePart(part, progress, output)) ?? exitCode;
    }
    return exitCode;
  } catch (error) {
    if (!isAboutTheBody(error)) throw error;
    output.rejected(error);
    return EXIT.failed;
  }
}

async function* withProgress(source: Source, progress: Progress): AsyncGenerator<Uint8Array> {
  let sent = 0;
  try {
    for await (const chunk of source.chunks) {
      yield chunk;
      sent += chunk.byteLength;
      const detail = `${(sent / 2 ** 20).toFixed(1)} MiB`;
      progress.show({ activity: 'sending and checking', done: source.bytesRead(), total: source.bytesTotal, detail });
    }
  } catch (error) {
    throw new CommandError(`cannot read the whole snapshot: ${causeOf(error)}`, EXIT.failed, { cause: error });
  }
}

// Returns the exit code once it is known.
async function handlePart(part: DryRunPart, progress: Progress, output: DryRunOutput): Promise<number | undefined> {
  if (part.position != null)
    progress.show({ activity: 'waiting for other dry runs', done: 0, total: undefined, detail: `position ${part.position}` });
  if (part.progress != null) {
    const { phase, done, total } = part.progress;
    progress.show({ activity: `trying: ${phase}`, done, total, detail: `${done}/${total}` });
  }
  if (part.records != null) await output.records(part.records.records);
  if (part.outcome == null) return undefined;
  await output.outcome(part.outcome);
  return part.outcome.state === 'applied' ? EXIT.done : EXIT.importCancelled;
}

function isAboutTheBody(error: unknown): error is ApplicationError {
  return (
    error instanceof ApplicationError && (error.code === 'too_large' || (error.code === 'invalid' && error.fieldErrorsTotal > 0))
  );
}

/**
 * Yields a file as snapshot upload messages. A gzip file is detected by its first two bytes and
 * sent unchanged.
 */
async function* snapshotMessages(accountId: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CheckSnapshotRequest> {
  let beginning: Buffer = Buffer.alloc(0);
  let isBegun = false;
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (isBegun) {
      yield { chunk };
      continue;
    }
    beginning = Buffer.concat([beginning, chunk]);
    if (beginning.length < GZIP.length) continue;
    isBegun = true;
    yield headOf(accountId, beginning);
    yield { chunk: beginning };
  }
  if (isBegun) return;
  yield headOf(accountId, beginning);
  if (beginning.length > 0) yield { chunk: beginning };
}

const GZIP = Buffer.from([0x1f, 0x8b]);

function headOf(accountId: number, beginning: Buffer): CheckSnapshotRequest {
  const isGzip = beginning.subarray(0, GZIP.length).equals(GZIP);
  return { head: { account_id: accountId, content_encoding: isGzip ? 'gzip' : '' } };
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { provision } from '@survey/bus/provision.ts';
import { NATS, startNats } from '@survey/local/nats.ts';
import { pidOf } from '../../test/failure/faulty-store.ts';
import { makeImage, mountImage } from './mounts.ts';
import { copyAtOneMoment } from './copy-disk.ts';

const IMAGE_MIB = 256;
const BETWEEN_CUTS_MS = 1_000;
// One message of each stream in turn. Nobody consumes them.
export const STREAM_SUBJECTS = {
  INTAKE: 'intake.survey.1',
  JOBS: 'jobs.import',
  EVENTS: 'events.import.applied',
  DELETIONS: 'deletions.account',
};

interface AcknowledgedMessage {
  readonly stream: string;
  readonly sequence: number;
  readonly text: string;
}

interface BusPowerCuts {
  readonly acknowledged: number;
  /** Acknowledged messages that are not on the disk, by stream. */
  readonly lost: Readonly<Record<string, number>>;
}

/**
 * Runs NATS on a disk in a file, and copies the file while messages of every stream are published.
 * The copy equals a disk after a power cut: a server that is started on it must have every message
 * that was acknowledged before.
 */
export async function cutBusPower(folder: string, times: number, syncInterval: string): Promise<BusPowerCuts> {
  const image = join(folder, 'bus.img');
  await makeImage(image, IMAGE_MIB);
  await using disk = await mountImage(join(folder, 'bus'), image);
  const storeDir = join(disk.folder, 'nats');
  const server = await startNats({ storeDir, syncInterval, log: () => undefined });
  const lost: Record<string, number> = {};
  let acknowledged = 0;
  try {
    await provision({ natsUrl: server.url });
    await using publisher = await startPublisher(server.url);
    for (let time = 0; time < times; time += 1) {
      await sleep(BETWEEN_CUTS_MS);
      const copy = join(folder, 'bus-copy.img');
      const pid = await pidOf(NATS, storeDir);
      process.kill(pid, 'SIGSTOP');
      const known = [...publisher.acknowledged];
      await copyAtOneMoment(image, copy).finally(() => process.kill(pid, 'SIGCONT'));
      acknowledged = known.length;
      for (const { stream } of await missingOn(join(folder, 'bus-copy'), copy, known)) lost[stream] = (lost[stream] ?? 0) + 1;
      await rm(copy);
    }
  } finally {
    await server.stop();
  }
  return { acknowledged, lost };
}

async function startPublisher(url: string): Promise<AsyncDisposable & { readonly acknowledged: AcknowledgedMessage[] }> {
  const bus = await connect(readBusUrl(url));
  const over = new AbortController();
  const acknowledged: AcknowledgedMessage[] = [];
  const publishing = (async () => {
    for (let count = 1; !over.signal.aborted; count += 1)
      for (const [stream, subject] of Object.entries(STREAM_SUBJECTS)) {
        // DELETIONS keeps one message of each subject.
        const text = `${stream}.${count}`;
        const { seq } = await jetstream(bus).publish(stream === 'DELETIONS' ? `${subject}.${count}` : subject, text);
        acknowledged.push({ stream, sequence: seq, text });
      }
  })();
  return {
    acknowledged,
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await publishing;
      await bus.close();
    },
  };
}

async function missingOn(
  folder: string,
  image: string,
  known: readonly AcknowledgedMessage[],
): Promise<readonly AcknowledgedMessage[]> {
  await using disk = await mountImage(folder, image);
  const server = await startNats({ storeDir: join(disk.folder, 'nats'), log: () => undefined });
  const bus = await connect(readBusUrl(server.url));
  try {
    const isThere = await Promise.all(known.map((message) => isStored(bus, message)));
    return known.filter((_, at) => !isThere[at]);
  } finally {
    await bus.close();
    await server.stop();
  }
}

// A stream that has gone has none of its messages.
async function isStored(bus: NatsConnection, { stream, sequence, text }: AcknowledgedMessage): Promise<boolean> {
  const { streams } = await jetstreamManager(bus, { checkAPI: false });
  const message = await streams.getMessage(stream, { seq: sequence }).catch(() => null);
  return message?.string() === text;
}

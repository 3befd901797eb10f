// Judges a history of reads without knowing the code that served them, as Elle does for databases.
//
// Every value that readers see is a register whose version only grows: the number of an account's
// last import, of its last answer, or 1 for a revoked key. A writer records when it began to write
// a version and when it knew that the write was complete. A reader records when it sent its
// request, when it had the response, and which version the response shows. Two rules follow:
//
// - A response shows no version that nobody had begun to write.
// - A request that is sent after a write was complete, or after another response had shown a
//   version, shows at least that version. A read that may lag, such as from a replica, may be
//   behind by a stated time.
//
// What a single response must satisfy by itself, such as one version for all rows of a page, its
// reader says in `contradiction`.

/** How far a read may be behind. */
export interface Freshness {
  // Milliseconds after the end of a write.
  readonly afterWriteMs: number;
  // Milliseconds after another response that showed the version; undefined: any time, because
  // readers do not share what they have seen.
  readonly afterReadMs?: number | undefined;
}

export interface Write {
  readonly register: string;
  readonly version: number;
  readonly beganAt: number;
  // Absent while nobody knows whether it is complete.
  readonly endedAt?: number | undefined;
}

export interface Read {
  readonly register: string;
  readonly reader: string;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly version: number;
  readonly freshness: Freshness;
  // Why the response contradicts itself.
  readonly contradiction?: string | undefined;
}

export interface History {
  readonly writes: readonly Write[];
  readonly reads: readonly Read[];
}

/** Returns a sentence for each anomaly. */
export function judge({ writes, reads }: History): string[] {
  const registers = Map.groupBy(reads, ({ register }) => register);
  const written = Map.groupBy(writes, ({ register }) => register);
  return [...registers].flatMap(([register, all]) => judgeRegister(written.get(register) ?? [], all));
}

function judgeRegister(writes: readonly Write[], reads: readonly Read[]): string[] {
  const begun = new Highest(writes.map(({ beganAt, version }) => [beganAt, version]));
  const ended = new Highest(writes.flatMap(({ endedAt, version }) => (endedAt === undefined ? [] : [[endedAt, version]])));
  const shared = reads.filter(({ freshness }) => freshness.afterWriteMs === 0);
  const shown = new Highest(shared.map(({ receivedAt, version }) => [receivedAt, version]));
  const own = new Map(
    [...Map.groupBy(reads, ({ reader }) => reader)].map(([reader, its]) => [
      reader,
      new Highest(its.map(({ receivedAt, version }) => [receivedAt, version])),
    ]),
  );
  return reads.flatMap((read) => {
    const { register, reader, sentAt, receivedAt, version, freshness, contradiction } = read;
    const { afterWriteMs, afterReadMs } = freshness;
    const says = (what: string): string => `${register}, ${reader}, sent at ${Math.round(sentAt)} ms: ${what}`;
    const wrong = contradiction === undefined ? [] : [says(contradiction)];
    const latest = begun.at(receivedAt);
    if (version > latest) wrong.push(says(`shows version ${version}, and ${latest} is the last that was written`));
    const complete = ended.at(sentAt - afterWriteMs);
    if (version < complete)
      wrong.push(says(`shows version ${version} although ${complete} was complete ${afterWriteMs} ms before`));
    if (afterReadMs === undefined) return wrong;
    const seen = Math.max(shown.at(sentAt - afterReadMs), own.get(reader)?.at(sentAt - afterReadMs) ?? 0);
    if (version < seen) wrong.push(says(`shows version ${version} although ${seen} had been shown ${afterReadMs} ms before`));
    return wrong;
  });
}

/** The highest version that is recorded up to a time. */
class Highest {
  readonly #times: number[] = [];
  readonly #versions: number[] = [];

  constructor(all: readonly (readonly [time: number, version: number])[]) {
    for (const [time, version] of all.toSorted((a, b) => a[0] - b[0])) {
      this.#times.push(time);
      this.#versions.push(Math.max(version, this.#versions.at(-1) ?? 0));
    }
  }

  at(time: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return this.#versions[low - 1] ?? 0;
  }
}

import type { EmployeeRecord } from '@survey/formats/employee-record.ts';
import { BODY_LIMITS, readBody, type BodyLimits, type BodySize, type ContentEncoding } from './body-bytes.ts';
import type { ElementHasher } from './content-hash.ts';
import { FieldErrorList, UnreadableSnapshotError, type FieldError } from './field-errors.ts';
import type { KnownHashes } from './known-hashes.ts';
import { parseEmployee, readEmployee } from './read-employee.ts';
import { SnapshotSplitter, type SplitLimits } from './split.ts';

type SnapshotLimits = BodyLimits & SplitLimits;

/**
 * 8 MiB hold about 100,000 grants, on which the contract sets no limit either. The shortest list
 * item of the contract has a key, object or list in 6.8 bytes, so no valid record reaches the limit
 * of nodes; millions of empty objects would need all of the heap.
 */
export const SNAPSHOT_LIMITS: SnapshotLimits = {
  ...BODY_LIMITS,
  elementBytes: 8 * 2 ** 20,
  elementNodes: 1_250_000,
  depth: 32,
};

/** An employee without a known hash. */
export interface UnknownEmployee {
  /** Zero-based index in the snapshot. */
  index: number;
  record: EmployeeRecord;
  /** Content hash of 16 bytes, to be stored once the record is applied. */
  hash: Buffer;
}

/**
 * Hashes of elements that were validated under the same rules; these are neither parsed nor checked
 * again.
 */
export interface Recognition {
  hasher: ElementHasher;
  knownHashes: KnownHashes;
}

export interface SnapshotReading extends Recognition {
  encoding: ContentEncoding;
  limits?: Partial<SnapshotLimits>;
  /**
   * Whether the body was validated before under the same rules; its records are then parsed without
   * checks.
   */
  wasValidated?: boolean;
  /**
   * Called once the first element is valid; reading waits for the result, which replaces `hasher`
   * and `knownHashes`, even for that element.
   */
  onFirstValid?: () => Promise<Recognition>;
  /** Receives the decoded JSON bytes of the body. */
  onJson?: (slice: Buffer) => void;
  /** Called for each element with a known hash, in order, with the ordinal of that hash. */
  onKnown?: (ord: number, index: number) => void;
  /**
   * Called for all other elements, in order, with up to 100 or about 256 KiB at a time; reading
   * waits for it. Not called after a field error.
   */
  onUnknown?: (batch: readonly UnknownEmployee[]) => Promise<void>;
}

export interface SnapshotSummary extends BodySize {
  /** Elements of the snapshot, invalid ones included. */
  employees: number;
  /** JSON bytes of the largest element without a known hash. */
  largestBytes: number;
  /** The first 100 field errors; empty when the whole body is valid. */
  findings: readonly FieldError[];
  fieldErrorsTotal: number;
}

const CLOSE_BRACE = 0x7d;

// Enough for one fault in each of a million records, and 1 MB of gzip can contain hundreds of
// millions.
const FINDINGS_MAX = 1_000_000;

// Parsed records use up to ten times as much memory.
const BATCH_BYTES = 256 * 1024;
// More records would outlive the young generation and double the time of garbage collection.
const BATCH_RECORDS = 100;

/**
 * Reads a snapshot once, in constant memory. The accepting pass uses the field errors (400 when
 * there are any); the applying pass uses the callbacks.
 * Counts schema errors to the end of the body, or to a million. At an unreadable position, the
 * reason is the last field error and the body is closed.
 * @throws SnapshotTooLargeError above a limit (413), and errors of the body or a callback
 */
export async function readSnapshot(body: AsyncIterable<Uint8Array>, reading: SnapshotReading): Promise<SnapshotSummary> {
  const limits = { ...SNAPSHOT_LIMITS, ...reading.limits };
  const findings = new FieldErrorList();
  const elements = new ElementSorter(reading, limits, findings);
  const { splitter } = elements;
  const size: BodySize = { receivedBytes: 0, jsonBytes: 0 };
  try {
    await readBody(body, reading.encoding, limits, size, (slice) => {
      reading.onJson?.(slice);
      return elements.take(slice);
    });
    splitter.finish();
    await elements.flush();
  } catch (error) {
    if (!(error instanceof UnreadableSnapshotError)) throw error;
    findings.add(error.finding.pointer, error.finding.detail);
  }
  return {
    ...size,
    employees: splitter.index + 1,
    largestBytes: elements.largestBytes,
    findings: findings.list,
    fieldErrorsTotal: findings.total,
  };
}

/** Sorts the elements of one snapshot into known, unknown and invalid ones. */
class ElementSorter {
  readonly splitter: SnapshotSplitter;
  largestBytes = 0;
  readonly #reading: SnapshotReading;
  readonly #findings: FieldErrorList;
  #recognition: Recognition;
  #batch: UnknownEmployee[] = [];
  #batchBytes = 0;

  constructor(reading: SnapshotReading, limits: SplitLimits, findings: FieldErrorList) {
    this.#reading = reading;
    this.#findings = findings;
    this.splitter = new SnapshotSplitter(limits, findings, (chunk, from, index) => this.#knownEnd(chunk, from, index));
    this.#recognition = reading;
  }

  get #isHashing(): boolean {
    return this.#recognition.knownHashes.size > 0 || this.#reading.onUnknown !== undefined;
  }

  async take(slice: Buffer): Promise<void> {
    this.splitter.feed(slice);
    if (this.#findings.total > FINDINGS_MAX)
      throw new UnreadableSnapshotError({ pointer: '', detail: `more than ${FINDINGS_MAX} faults: the rest was not checked` });
    while (this.splitter.next()) {
      if (this.#isHashing && this.#isKnown()) continue;
      this.#readUnknown();
      const { onFirstValid } = this.#reading;
      if (onFirstValid && this.splitter.index === 0 && this.#findings.total === 0) {
        this.#recognition = await onFirstValid();
        if (this.#isHashing) this.#isKnown();
      }
      if (this.#batch.length === BATCH_RECORDS || this.#batchBytes > BATCH_BYTES) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    if (batch.length > 0 && this.#findings.total === 0) await this.#reading.onUnknown?.(batch);
  }

  // Fast path: finding the end of an element dominates the cost. The expected element has a known
  // length; when that many bytes have its hash, the end is known.
  #knownEnd(chunk: Buffer, from: number, index: number): number {
    const { onKnown } = this.#reading;
    const { hasher, knownHashes } = this.#recognition;
    const end = from + knownHashes.nextLength;
    if (end === from || end > chunk.length || chunk[end - 1] !== CLOSE_BRACE) return 0;
    hasher.hash(chunk, from, end);
    const ord = knownHashes.findNext(hasher.lanes);
    if (ord < 0) return 0;
    onKnown?.(ord, index);
    return end;
  }

  #isKnown(): boolean {
    const { onKnown } = this.#reading;
    const { hasher, knownHashes } = this.#recognition;
    const { bytes, start, end } = this.splitter.element;
    hasher.hash(bytes, start, end);
    const ord = knownHashes.find(hasher.lanes);
    if (ord >= 0) onKnown?.(ord, this.splitter.index);
    return ord >= 0;
  }

  #readUnknown(): void {
    const { wasValidated = false, onUnknown } = this.#reading;
    const bytes = this.splitter.element.end - this.splitter.element.start;
    this.largestBytes = Math.max(this.largestBytes, bytes);
    this.#batchBytes += bytes;
    const record = wasValidated ? parseEmployee(this.splitter) : readEmployee(this.splitter, this.#findings);
    if (record === undefined || onUnknown === undefined) return;
    this.#batch.push({ index: this.splitter.index, record, hash: this.#recognition.hasher.toBytes() });
  }
}

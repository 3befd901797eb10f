import type { EmployeeRecord } from '@survey/employee-record/employee-record.ts';
import { BODY_LIMITS, readBody, type BodyLimits, type BodySize, type ContentEncoding } from './body-bytes.ts';
import { FieldErrorList, UnreadableSnapshotError, type FieldError } from './field-errors.ts';
import type { ElementHasher } from './hash.ts';
import type { KnownHashes } from './known-hashes.ts';
import { parseEmployee, readEmployee } from './read-employee.ts';
import { SnapshotSplitter, type SplitLimits } from './split.ts';

export type SnapshotLimits = BodyLimits & SplitLimits;

/** 8 MiB hold some 100,000 grants: the contract knows no limit on them either. */
export const SNAPSHOT_LIMITS: SnapshotLimits = { ...BODY_LIMITS, elementBytes: 8 * 2 ** 20, depth: 32 };

/** An employee that no known hash covers. */
export interface UnknownEmployee {
  /** Position in the list, from 0. */
  index: number;
  record: EmployeeRecord;
  /** Content hash to be stored once the record is applied, 16 bytes. */
  hash: Buffer;
}

/** Elements whose hash is known were validated before, under the same rules: they are neither parsed nor checked. */
export interface Recognition {
  hasher: ElementHasher;
  known: KnownHashes;
}

export interface SnapshotReading extends Recognition {
  encoding: ContentEncoding;
  limits?: Partial<SnapshotLimits>;
  /** The body was found valid before, by the same rules: its records are parsed, and not checked again. */
  wasValidated?: boolean;
  /** Called once the first element is valid. What it returns takes the place of `hasher` and `known`; reading waits for it. */
  onFirstValid?: () => Promise<Recognition>;
  /** Sees the JSON bytes of the body on the way, whatever their encoding was. */
  onJson?: (slice: Buffer) => void;
  /** For each element with a known hash, in the order of the list, with the ordinal of that hash. */
  onKnown?: (ord: number, index: number) => void;
  /** For all other elements, up to 100 or some 256 KiB at a time, in order; reading waits for it. Not called any more after a finding. */
  onUnknown?: (batch: readonly UnknownEmployee[]) => Promise<void>;
}

export interface SnapshotSummary extends BodySize {
  /** Elements of the list, faulty ones included. */
  employees: number;
  /** Of JSON, of the largest element that is not known. */
  largestBytes: number;
  /** The first 100; empty means that the whole body is valid. */
  findings: readonly FieldError[];
  fieldErrorsTotal: number;
}

const CLOSE_BRACE = 0x7d;

// What is parsed takes up to ten times as much.
const BATCH_BYTES = 256 * 1024;
// More would outlive the young generation and cost twice the time of collecting it.
const BATCH_RECORDS = 100;

/**
 * Reads a snapshot once, in constant memory. The accepting pass needs neither callback and looks at the findings (400 when there are any); the
 * applying pass takes the elements from the callbacks.
 *
 * Schema findings are counted to the end of the body. Where it cannot be read on, the reason is the last finding and the source is closed.
 *
 * @throws SnapshotTooLarge above a ceiling (413); whatever the source or a callback throws
 */
export async function readSnapshot(source: AsyncIterable<Uint8Array>, reading: SnapshotReading): Promise<SnapshotSummary> {
  const limits = { ...SNAPSHOT_LIMITS, ...reading.limits };
  const findings = new FieldErrorList();
  const elements = new ElementSorter(reading, limits, findings);
  const { splitter } = elements;
  const size: BodySize = { receivedBytes: 0, jsonBytes: 0 };
  try {
    await readBody(source, reading.encoding, limits, size, (slice) => {
      reading.onJson?.(slice);
      return elements.take(slice);
    });
    splitter.finish();
    await elements.flush();
  } catch (error) {
    if (!(error instanceof UnreadableSnapshotError)) throw error;
    findings.add(error.finding);
  }
  return {
    ...size,
    employees: splitter.index + 1,
    largestBytes: elements.largestBytes,
    findings: findings.list,
    fieldErrorsTotal: findings.total,
  };
}

/** Sorts the elements of one reading into known ones, unknown ones and faulty ones. */
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
    return this.#recognition.known.size > 0 || this.#reading.onUnknown !== undefined;
  }

  async take(slice: Buffer): Promise<void> {
    this.splitter.feed(slice);
    while (this.splitter.next()) {
      if (this.#isHashing && this.#isKnown()) continue;
      this.#readUnknown();
      const { onFirstValid } = this.#reading;
      if (onFirstValid && this.splitter.index === 0 && this.#findings.total === 0) this.#recognition = await onFirstValid();
      if (this.#batch.length === BATCH_RECORDS || this.#batchBytes > BATCH_BYTES) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    if (batch.length > 0 && this.#findings.total === 0) await this.#reading.onUnknown?.(batch);
  }

  // Finding where an element ends takes longer than all else. The one that is expected here has a length: if so many bytes have its hash, they are it,
  // to its end.
  #knownEnd(chunk: Buffer, from: number, index: number): number {
    const { onKnown } = this.#reading;
    const { hasher, known } = this.#recognition;
    const end = from + known.nextLength;
    if (end === from || end > chunk.length || chunk[end - 1] !== CLOSE_BRACE) return 0;
    hasher.hash(chunk, from, end);
    const ord = known.findNext(hasher.lanes);
    if (ord < 0) return 0;
    onKnown?.(ord, index);
    return end;
  }

  #isKnown(): boolean {
    const { onKnown } = this.#reading;
    const { hasher, known } = this.#recognition;
    const { bytes, start, end } = this.splitter.element;
    hasher.hash(bytes, start, end);
    const ord = known.find(hasher.lanes);
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

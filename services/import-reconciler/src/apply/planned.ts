import { BinaryCopy } from '@survey/postgres/copy-in.ts';
import type { Client } from '@survey/postgres/database.ts';
import { PLANNED_COLUMNS, type PlannedRecord } from './planned-columns.ts';
import { analyze } from './working-tables.ts';

// Duration of one COPY. A COPY that lasts much longer belongs to a paused process; see
// terminateStalledCopies.
const MAX_COPY_MS = 500;

const COPY_PLANNED = `copy planned (${PLANNED_COLUMNS.map(([name]) => name).join(', ')}) from stdin (format binary)`;

function openCopy(tx: Client): BinaryCopy {
  return new BinaryCopy(tx, COPY_PLANNED);
}

/** Streams planned records into `planned`, with a new COPY every 500 ms. */
export class PlannedWriter {
  rows = 0;
  readonly #tx: Client;
  #copy: BinaryCopy;
  #openedAt = performance.now();

  constructor(tx: Client) {
    this.#tx = tx;
    this.#copy = openCopy(tx);
  }

  add(record: PlannedRecord): void {
    this.rows += 1;
    this.#copy.row(PLANNED_COLUMNS.length);
    for (const [, , write] of PLANNED_COLUMNS) write(this.#copy, record);
  }

  async flush(): Promise<void> {
    await this.#copy.flush();
    if (performance.now() - this.#openedAt < MAX_COPY_MS) return;
    await this.#copy.end();
    this.#copy = openCopy(this.#tx);
    this.#openedAt = performance.now();
  }

  /** Aborts the COPY; without it the transaction's next statement would wait forever. */
  abort(): Promise<void> {
    return this.#copy.abort();
  }

  /**
   * Ends the COPY and updates the statistics; without them the planner may choose nested loops that
   * run for hours.
   */
  async end(): Promise<void> {
    await this.#copy.end();
    await analyze(this.#tx, this.rows, 'planned');
  }
}

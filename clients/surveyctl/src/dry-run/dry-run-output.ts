import { once } from 'node:events';
import type { DryRunOutcome, ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';
import type { ApplicationError } from '@survey/rpc/application-error.ts';
import { RecordsWithIssues, renderDryRun } from '../import-rendering.ts';
import { colour, printable, renderTable } from '../output.ts';

/** Prints a dry run: all records as they arrive, if requested, and the rest at the end. */
export interface DryRunOutput {
  outcome(outcome: DryRunOutcome): Promise<void>;
  records(records: readonly ImportRecord[]): Promise<void>;
  // Called instead of an outcome: the snapshot is invalid.
  rejected(rejection: ApplicationError): void;
  // Called instead of an outcome or the remaining records: the dry run failed.
  failed(detail: string): void;
  end(): Promise<void>;
}

/** Writes one line of JSON in chunks: a million records are not held in memory. */
export function jsonOutput(): DryRunOutput {
  let separator = '';
  let end = '';
  return {
    outcome: ({ state, counts, reasons, warnings }) => {
      end = ']}\n';
      const head = JSON.stringify({ dry_run: true, state, counts, reasons, warnings });
      return write(`${head.slice(0, -1)},"records":[`);
    },
    records: async (records) => {
      await write(separator + records.map((record) => JSON.stringify(record)).join(','));
      separator = ',';
    },
    rejected: ({ message: detail, fieldErrors: errors, fieldErrorsTotal: errors_total }) => {
      end = `${JSON.stringify({ dry_run: true, state: 'rejected', detail, errors, errors_total })}\n`;
    },
    failed: (detail) => {
      const failure = JSON.stringify({ dry_run: true, state: 'failed', detail });
      end = end === '' ? `${failure}\n` : `],"failed":${JSON.stringify(detail)}}\n`;
    },
    end: () => write(end),
  };
}

export function textOutput(): DryRunOutput {
  const remarkable = new RecordsWithIssues();
  let head = '';
  let hasFailed = false;
  return {
    outcome: (outcome) => {
      head = renderDryRun(outcome);
      return Promise.resolve();
    },
    records: (records) => {
      remarkable.add(records);
      return Promise.resolve();
    },
    rejected: (rejection) => {
      head = renderRejected(rejection);
    },
    // The failure itself is printed to standard error.
    failed: () => {
      hasFailed = true;
    },
    end: () => (hasFailed ? Promise.resolve() : write(`${[head, ...remarkable.render()].join('\n')}\n`)),
  };
}

function renderRejected({ message, fieldErrors, fieldErrorsTotal }: ApplicationError): string {
  const rest = fieldErrorsTotal - fieldErrors.length;
  return [
    `${colour('red', 'would be rejected')}: ${printable(message)}`,
    ...(fieldErrors.length === 0
      ? []
      : [
          '',
          renderTable(
            ['WHERE', 'IMPORT_ID', 'WHAT'],
            fieldErrors.map(({ pointer, detail, import_id }) => [pointer, import_id ?? '', detail]),
          ),
        ]),
    ...(rest > 0 ? ['', `and ${rest} more`] : []),
  ].join('\n');
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

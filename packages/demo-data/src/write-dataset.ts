import { generateDataset } from './generate-dataset.ts';
import type { OrganisationSize } from './organisation.ts';
import { workforce } from './workforce.ts';

const CHUNK_CHARACTERS = 64 * 1024;

/** Yields a generated dataset as NDJSON, in chunks of a useful size. */
export function datasetChunks(size: OrganisationSize): Iterable<string> {
  return gathered(generateDataset(size), (line) => `${JSON.stringify(line)}\n`);
}

/**
 * Yields the dataset's workforce as a body for `POST /v1/employees/imports`, one employee per line.
 */
export function* snapshotChunks(size: OrganisationSize): Iterable<string> {
  yield '{"employees":[';
  yield* gathered(workforce(size), (employee, index) => `${index === 0 ? '' : ','}\n${JSON.stringify(employee)}`);
  yield '\n]}\n';
}

function* gathered<T>(items: Iterable<T>, render: (item: T, index: number) => string): Iterable<string> {
  let chunk = '';
  let index = 0;
  for (const item of items) {
    chunk += render(item, index);
    index += 1;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

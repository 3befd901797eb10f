import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the labels of a model mean to masking. */
export interface ModelLabels {
  // Number of labels.
  readonly count: number;
  // Indexes of the labels of names and of postal addresses.
  readonly name: readonly number[];
  readonly address: readonly number[];
  // Whether the vocabulary has lower-case words without accents.
  readonly isLowerCase: boolean;
}

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index);

// Given names and surnames; house numbers, streets, units, towns, states, postcodes. Each kind has
// one label for its first piece and one for the others.
const SHIPPED: ModelLabels = { count: 35, name: range(1, 4), address: range(23, 34), isLowerCase: true };

/**
 * Reads labels.json in the folder of a model: `labels` has `name`, `address` or null for each label
 * of the model, in its order; `lower_case` is true by default. Without the file, the labels of the
 * shipped model apply.
 */
export async function readLabels(folder: string): Promise<ModelLabels> {
  const file = join(folder, 'labels.json');
  if (!existsSync(file)) return SHIPPED;
  const { labels, lower_case: isLowerCase = true } = JSON.parse(await readFile(file, 'utf8')) as {
    readonly labels?: unknown;
    readonly lower_case?: unknown;
  };
  if (
    !Array.isArray(labels) ||
    typeof isLowerCase !== 'boolean' ||
    !labels.every((label) => label === null || label === 'name' || label === 'address')
  )
    throw new Error('labels.json must have `labels`, an array of "name", "address" or null, and may have `lower_case`');
  const indexesOf = (wanted: string): number[] => labels.flatMap((label, index) => (label === wanted ? [index] : []));
  return { count: labels.length, name: indexesOf('name'), address: indexesOf('address'), isLowerCase };
}

import type { Command } from 'commander';
import { addDatasetGenerate } from './dataset-generate.ts';
import { addDatasetLoad } from './dataset-load.ts';

export function addDatasetCommands(program: Command): void {
  const dataset = program
    .command('dataset')
    .description('load or generate surveys, employees, responses and more as lines of JSON (docs/dataset.md)');
  addDatasetLoad(dataset);
  addDatasetGenerate(dataset);
}

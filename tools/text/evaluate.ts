import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MODEL_FOLDER } from '@survey/text/masking/recogniser/open-classifier.ts';

const SETS = ['presidio', 'm-absa', 'mams', 'semeval2014'];
const HELP = `Measures masking, topics and sentiment on labelled text, and prints the figures and their goals as Markdown.

  npm run evaluate -- --data FOLDER

  --data FOLDER  the labelled text: ${SETS.join(', ')} (docs/text-evaluation.md)

Needs the masking model (npm run fetch-model). Takes some minutes.

Exit codes: 0 measured, 1 failed, 2 wrong arguments, or the model or text is missing`;

const { values } = parseArgs({ options: { data: { type: 'string', default: '' }, help: { type: 'boolean', short: 'h' } } });
if (values.help === true) console.log(HELP);
else process.exitCode = evaluate(values.data);

function evaluate(data: string): number {
  const missing = [...SETS.map((set) => join(data, set)), MODEL_FOLDER].filter((path) => !existsSync(path));
  if (data === '' || missing.length > 0) {
    console.error(data === '' ? HELP : `cannot evaluate: ${missing.join(', ')} must exist, see --help`);
    return 2;
  }
  // Each in a process of its own, whose memory is measured.
  for (const part of ['evaluate-masking', 'evaluate-topics']) {
    const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${part}.ts`), data], { stdio: 'inherit' });
    if (status !== 0) return 1;
  }
  return 0;
}

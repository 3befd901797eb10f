import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import type { Masker } from '@survey/text/masking/masker.ts';
import type { ClassifyWords } from '@survey/text/masking/recogniser/classify-words.ts';
import { createModelMasker } from '@survey/text/masking/recogniser/model-masker.ts';
import { openClassifier } from '@survey/text/masking/recogniser/open-classifier.ts';
import { evaluateTransformations } from './masking/metamorphic.ts';
import { evaluateForms } from './masking/name-forms.ts';
import { evaluateGroups } from './masking/name-groups.ts';
import { evaluateOverMasking } from './masking/over-masking.ts';
import { evaluatePresidio } from './masking/presidio-set.ts';
import type { Row } from './masking/row.ts';
import { evaluateSpeed } from './masking/speed.ts';
import { evaluateSecondSentences, evaluateSentences } from './masking/survey-sentences.ts';
import { evaluateWordsThatStay } from './masking/words-that-stay.ts';
import { printTable } from './print-table.ts';

// Prints the figures of masking by rules, and by rules and model, next to their goals.

await evaluate(process.argv[2] ?? '');

async function evaluate(data: string): Promise<void> {
  // Speed first: memory that the other parts allocate does not belong to the masker.
  const speed = await evaluateSpeed(data);
  const modelMasker = createModelMasker(cached((await openClassifier()).classify), 'evaluated');
  const print = async (title: string, evaluate: (masker: Masker) => Promise<readonly Row[]>): Promise<void> => {
    const rules = await evaluate(embeddedMasker);
    const withModel = await evaluate(modelMasker);
    process.stdout.write(`## ${title}\n\n`);
    printTable(
      ['measured', 'goal', 'rules', 'rules and model'],
      rules.map(({ name, goal, figure }, at) => [name, goal, figure, withModel[at]?.figure ?? '-']),
    );
  };
  await print('Names, numbers and addresses in chat text (Presidio’s generated set)', async (masker) => [
    ...(await evaluatePresidio(masker, data, 'held out')),
    ...(await evaluatePresidio(masker, data, 'tuned')),
  ]);
  await print('Answers to surveys, five languages', (masker) => evaluateSentences(masker, data));
  await print('Answers to surveys, second author', (masker) => evaluateSecondSentences(masker, data));
  await print('Names by origin, English, no roster', (masker) => evaluateGroups(masker, data));
  await print('Forms of names that the roster has', (masker) => evaluateForms(masker, data));
  await print('Other spellings of a sentence, full roster', (masker) => evaluateTransformations(masker, data));
  await print('Words that must stay', (masker) => evaluateWordsThatStay(masker, data));
  await print('What is masked where persons are seldom named', (masker) => evaluateOverMasking(masker, data));
  process.stdout.write('## Speed and memory of the rules\n\n');
  printTable(
    ['measured', 'goal', 'reached'],
    speed.map(({ name, goal, figure }) => [name, goal, figure]),
  );
}

// Each sentence is masked with several rosters, of which the model knows nothing.
function cached(classify: ClassifyWords): ClassifyWords {
  const known = new Map<string, ReturnType<ClassifyWords>>();
  return (text) => {
    const words = known.get(text) ?? classify(text);
    known.set(text, words);
    return words;
  };
}

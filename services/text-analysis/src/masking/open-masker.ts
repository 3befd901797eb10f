import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import type { Masker } from '@survey/text/masking/masker.ts';
import { createModelMasker } from '@survey/text/masking/recogniser/model-masker.ts';
import { openClassifier } from '@survey/text/masking/recogniser/open-classifier.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import type { Settings } from '../config.ts';

/**
 * Opens the masker of the settings. Names that the roster allows remain visible (rule
 * TEXTS-MASKING-5).
 * @throws Error when the model cannot be loaded. Rules alone cannot replace it, because they would
 *   undo the masks of processes that have loaded it.
 */
export async function openMasker(
  { MASKER, MASKER_MODEL_DIR: folder }: Pick<Settings, 'MASKER' | 'MASKER_MODEL_DIR'>,
  context: ServiceContext,
): Promise<Masker> {
  if (MASKER === 'rules') return exceptAllowedNames(embeddedMasker);
  try {
    const { classify, version } = context.resources.use(await openClassifier(folder));
    context.log.info('masking model loaded');
    return exceptAllowedNames(createModelMasker(classify, version));
  } catch (error) {
    throw new Error('cannot load the masking model: MASKER=rules masks without it', { cause: error });
  }
}

function exceptAllowedNames(masker: Masker): Masker {
  return {
    version: masker.version,
    generation: masker.generation,
    find: async (answer) => {
      const spans = await masker.find(answer);
      return spans.filter(
        ({ category, start, end }) => category !== 'name' || !answer.roster.isVisible(answer.text.slice(start, end)),
      );
    },
  };
}

import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import type { Masker } from '@survey/text/masking/masker.ts';
import { createModelMasker } from '@survey/text/masking/recogniser/model-masker.ts';
import { openClassifier } from '@survey/text/masking/recogniser/open-classifier.ts';
import { gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import type { Settings } from '../config.ts';

/** Opens the masker of the settings. The rules alone mask where the model cannot be loaded. */
export async function openMasker(
  { MASKER, MASKER_MODEL_DIR: folder }: Pick<Settings, 'MASKER' | 'MASKER_MODEL_DIR'>,
  context: ServiceContext,
): Promise<Masker> {
  const isLoaded = gauge(context.metrics, {
    name: 'text_masking_model_loaded',
    help: 'Whether the masking model is used beside the rules: 1 or 0.',
  });
  isLoaded.set(0);
  if (MASKER === 'rules') return embeddedMasker;
  try {
    const { classify, version } = context.resources.use(await openClassifier(folder));
    isLoaded.set(1);
    context.log.info('masking model loaded');
    return createModelMasker(classify, version);
  } catch (error) {
    context.log.warn({ err: error }, 'masking model not loaded, only rules mask');
    return embeddedMasker;
  }
}

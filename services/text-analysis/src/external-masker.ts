import type { ServiceContext } from '@survey/process/service.ts';
import type { Settings } from './config.ts';
import type { Masker } from '@survey/text/masking/masker.ts';
import { createPresidioMasker } from './masking/presidio-masker.ts';

/**
 * Creates a masker that adds the Presidio analyzer of the environment to the embedded masker;
 * undefined when none is configured.
 */
export function openExternalMasker(embedded: Masker, settings: Settings, context: ServiceContext): Masker | undefined {
  const { PRESIDIO_URL: url, PRESIDIO_LANGUAGES: languages, PRESIDIO_TIMEOUT_MS: timeoutMs } = settings;
  if (url === undefined) return undefined;
  return context.resources.use(createPresidioMasker(embedded, { url, languages, timeoutMs }, context));
}

import type { ServiceTools } from '@survey/process/service.ts';
import type { Settings } from './config.ts';
import { embeddedMasker } from '@survey/pii-masking/embedded-masker.ts';
import type { Masker } from '@survey/pii-masking/masker.ts';
import { createPresidioMasker } from './masking/presidio-masker.ts';

/** The Presidio analyzer that the environment names, on top of the embedded masker; undefined when it names none. */
export function openExternalMasker(settings: Settings, tools: ServiceTools): Masker | undefined {
  const { PRESIDIO_URL: url, PRESIDIO_LANGUAGES: languages, PRESIDIO_TIMEOUT_MS: timeoutMs } = settings;
  if (url === undefined) return undefined;
  return tools.resources.use(createPresidioMasker(embeddedMasker, { url, languages, timeoutMs }, tools));
}

import type { MaskingSettings } from '../rules/masking-policy.ts';
import type { Masker } from '@survey/text/masking/masker.ts';

export interface Maskers {
  readonly embedded: Masker;
  // Embedded masker plus external analyzer; undefined without an external analyzer.
  readonly external: Masker | undefined;
}

/** Returns the masker for an account with these settings. */
export function maskerFor(
  { embedded, external }: Maskers,
  { external_masker }: Pick<MaskingSettings, 'external_masker'>,
): Masker {
  return external_masker ? (external ?? embedded) : embedded;
}

import type { MaskingSettings } from '../rules/masking-policy.ts';
import type { Masker } from '@survey/pii-masking/masker.ts';

export interface Maskers {
  readonly embedded: Masker;
  // With what an analyzer outside finds on top; undefined where there is none.
  readonly external: Masker | undefined;
}

/** Who masks the texts of an account with these settings. */
export function maskerFor(
  { embedded, external }: Maskers,
  { external_masker }: Pick<MaskingSettings, 'external_masker'>,
): Masker {
  return external_masker ? (external ?? embedded) : embedded;
}

import { createHash } from 'node:crypto';

/** Masking settings of the account. */
export interface MaskingSettings {
  readonly masking_effect: 'off' | 'on' | 'without_effect' | 'withheld';
  readonly masking_categories: readonly string[];
}

/** Answers that masking permits: all, those masked by this policy plus imported ones, or none. */
export type Masking = 'verbatim' | 'withheld' | { readonly policy: number };

const POLICY_BYTES = 6;
// Policies depended on the version of the masker once. That of the last release which did so stays
// in the hash, so that both releases show each other's masks (test/proofs/upgrade.test.ts).
const FIRST_MASKER = 'embedded-4+model-3-18aa50d2f1ad';

/**
 * Determines which answers of GET /v1/text_responses masking permits (rule TEXTS-MASKING-1).
 * Without the entitlement, masking is off (rule TEXTS-MASKING-3). If the entitlement lapses while
 * masking is on, all texts are withheld until the setting changes (rule TEXTS-MASKING-4).
 * A policy is a hash of its categories; masks of other categories do not count. Masks of another
 * version of the masker do, so an upgrade hides no text.
 */
export function maskingOf({ masking_effect, masking_categories }: MaskingSettings): Masking {
  if (masking_effect === 'withheld') return 'withheld';
  if (masking_effect === 'on') return { policy: policyOf(masking_categories) };
  return 'verbatim';
}

// Positive: 0 means no policy.
function policyOf(categories: readonly string[]): number {
  const text = [...categories.toSorted(), FIRST_MASKER].join('\n');
  return 1 + createHash('sha256').update(text).digest().readUIntBE(0, POLICY_BYTES);
}

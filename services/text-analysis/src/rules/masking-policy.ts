import { createHash } from 'node:crypto';

/** What the account's settings say about masking. */
export interface MaskingSettings {
  readonly masking_effect: 'off' | 'on' | 'without_effect' | 'withheld';
  readonly masking_categories: readonly string[];
  readonly external_masker: boolean;
}

/** Which answers may be released: all of them, those masked by this policy beside imported ones, or none. */
export type Masking = 'verbatim' | 'withheld' | { readonly policy: number };

const POLICY_BYTES = 6;

/**
 * GET /v1/text_responses, rule TEXTS-MASKING-1. Switched on without the entitlement it is as off (rule TEXTS-MASKING-3); where the entitlement lapsed while it
 * was on, nothing is released until somebody decides (rule TEXTS-MASKING-4). A policy is known by a hash of its categories and of the masker's version: what
 * was masked by another one does not count.
 */
export function maskingOf(
  { masking_effect, masking_categories }: Omit<MaskingSettings, 'external_masker'>,
  maskerVersion: string,
): Masking {
  if (masking_effect === 'withheld') return 'withheld';
  if (masking_effect === 'on') return { policy: policyOf(masking_categories, maskerVersion) };
  return 'verbatim';
}

// Positive: 0 is no policy.
function policyOf(categories: readonly string[], maskerVersion: string): number {
  const text = [...categories.toSorted(), maskerVersion].join('\n');
  return 1 + createHash('sha256').update(text).digest().readUIntBE(0, POLICY_BYTES);
}

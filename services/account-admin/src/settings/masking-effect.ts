export type MaskingEffect = 'off' | 'on' | 'without_effect' | 'withheld';

interface MaskingSettings {
  masking_entitled: boolean;
  masking: boolean;
}

/**
 * Returns the effect of the masking settings. Without the entitlement, masking has no effect (rule
 * TEXTS-MASKING-3). When the entitlement ends while masking is on, texts are withheld until masking
 * is switched off or the entitlement returns (rule TEXTS-MASKING-4).
 */
export function maskingEffect(before: MaskingEffect, { masking, masking_entitled }: MaskingSettings): MaskingEffect {
  if (!masking) return 'off';
  if (masking_entitled) return 'on';
  return before === 'on' || before === 'withheld' ? 'withheld' : 'without_effect';
}

export type MaskingEffect = 'off' | 'on' | 'without_effect' | 'withheld';

export interface MaskingSettings {
  masking_entitled: boolean;
  masking: boolean;
}

/**
 * What masking comes to. Switched on without the entitlement it is as off (rule TEXTS-MASKING-3). But where the entitlement lapses while masking is on,
 * texts are withheld rather than released raw, until masking is switched off or the entitlement is back (rule TEXTS-MASKING-4).
 */
export function maskingEffect(before: MaskingEffect, { masking, masking_entitled }: MaskingSettings): MaskingEffect {
  if (!masking) return 'off';
  if (masking_entitled) return 'on';
  return before === 'on' || before === 'withheld' ? 'withheld' : 'without_effect';
}

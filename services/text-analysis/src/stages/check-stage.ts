import { invalid } from '@survey/rpc/application-error.ts';
import type { Stage } from '../tables/account-state.ts';

const STAGES: readonly Stage[] = ['mask', 'categorise', 'sentiment'];

/** Throws `invalid` for an unknown stage name. */
export function checkStage(name: string): Stage {
  const stage = STAGES.find((one) => one === name);
  if (stage === undefined) throw invalid(`stage must be one of ${STAGES.join(', ')}`);
  return stage;
}

import { environment as gateway } from '@survey/gateway/config.ts';
import { environment as importReconciler } from '@survey/import-reconciler/config.ts';
import { environment as scoringAnonymity } from '@survey/scoring-anonymity/config.ts';
import { environment as textAnalysis } from '@survey/text-analysis/config.ts';
import { environment as exporter } from '@survey/export/config.ts';
import { environment as accountAdmin } from '@survey/account-admin/config.ts';
import type { z } from 'zod';

/** Environment schemas by service. */
export const ENVIRONMENTS: ReadonlyMap<string, z.ZodRawShape> = new Map<string, z.ZodRawShape>([
  ['gateway', gateway],
  ['export', exporter],
  ['import-reconciler', importReconciler],
  ['scoring-anonymity', scoringAnonymity],
  ['text-analysis', textAnalysis],
  ['account-admin', accountAdmin],
]);

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { OrganisationSize } from '@survey/demo-data/organisation.ts';
import { datasetChunks } from '@survey/demo-data/write-dataset.ts';
import { z } from 'zod';

const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
// A frozen service must not delay the demo of the other services.
const STALL_TIMEOUT_S = 20;
const outcome = z.object({ lines: z.number(), rejected_total: z.number() });

interface DatasetTarget {
  readonly accountId: number;
  readonly accountAdminAddress: string;
  readonly natsUrl: string;
}

/**
 * Generates an organisation's surveys, responses and initiatives and loads them, as an operator
 * would. Returns the number of lines.
 */
export async function loadDemoDataset(size: OrganisationSize, target: DatasetTarget): Promise<number> {
  const loading = spawn(
    process.execPath,
    [
      SURVEYCTL,
      'dataset',
      'load',
      '-',
      '--account',
      String(target.accountId),
      '--stall-timeout',
      String(STALL_TIMEOUT_S),
      '--json',
    ],
    { env: { ...process.env, ACCOUNT_ADMIN_ADDRESS: target.accountAdminAddress, NATS_URL: target.natsUrl } },
  );
  // When the process ends early, its standard error says why.
  const feeding = pipeline(Readable.from(datasetChunks(size)), loading.stdin).catch(() => undefined);
  const [told, failure] = await Promise.all([text(loading.stdout), text(loading.stderr), feeding]);
  if (told === '') throw new Error(failure.trim().split('\n').at(-1) ?? 'surveyctl said nothing');
  const { lines, rejected_total } = outcome.parse(JSON.parse(told));
  if (rejected_total > 0) throw new Error(`${rejected_total} of ${lines} lines were rejected`);
  return lines;
}

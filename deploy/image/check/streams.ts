import { missingOnBus } from '@survey/bus/provision.ts';

/**
 * Checks that every stream and consumer of this version exists.
 * @throws with those that are missing
 */
export async function checkStreams(natsUrl: string): Promise<string> {
  const missing = await missingOnBus(natsUrl);
  if (missing.length > 0) throw new Error(`missing streams or consumers: ${missing.join(', ')}; run prepare`);
  return 'every stream and consumer is there';
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { roleUrl } from '@survey/local/service-environments.ts';
import { inject } from 'vitest';
import type { Stack } from './stack.ts';

const MAIN = fileURLToPath(new URL('../../services/text-analysis/src/main.ts', import.meta.url));

/** text-analysis as a process of its own, so that it can be killed, and that all it says can be read. */
export interface TextAnalysisProcess extends AsyncDisposable {
  // Everything that it has logged so far, at the lowest level.
  readonly said: () => string;
  // As a crash does: without a word.
  kill(): Promise<void>;
}

/** Starts one for this stack, where the gateway calls it; the one in the test's own process must have been stopped. */
export function startTextAnalysisProcess({ services, databaseUrl, natsUrl }: Stack): TextAnalysisProcess {
  const environment = {
    ...process.env,
    DATABASE_URL: roleUrl(databaseUrl, 'survey_text', inject('postgres').rolePasswords.survey_text),
    NATS_URL: natsUrl,
    GRPC_LISTEN: services['text-analysis'].address,
    PROBE_LISTEN: services['text-analysis'].probeAddress,
    SCORING_ANONYMITY_ADDRESS: services['scoring-anonymity'].address,
    LOG_LEVEL: 'debug',
  };
  const child = spawn(process.execPath, [MAIN], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const kill = (): void => void child.kill('SIGKILL');
  // Also when the run is interrupted.
  process.once('exit', kill);
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    process.off('exit', kill);
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { said: () => said, kill: () => end('SIGKILL'), [Symbol.asyncDispose]: () => end('SIGTERM') };
}

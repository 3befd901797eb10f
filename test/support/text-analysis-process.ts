import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { roleUrl } from '@survey/local/service-environments.ts';
import { inject } from 'vitest';
import type { Stack } from './stack.ts';

const MAIN = fileURLToPath(new URL('../../services/text-analysis/src/main.ts', import.meta.url));

/** text-analysis in its own process, so that tests can kill it and read all its logs. */
interface TextAnalysisProcess extends AsyncDisposable {
  // All log lines so far, at the lowest level.
  readonly said: () => string;
  // Kills the process with SIGKILL, as a crash would.
  kill(): Promise<void>;
}

/** Starts one at the address that the gateway calls. Stop the in-process one first. */
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
  // Covers interrupted runs.
  process.once('exit', kill);
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    process.off('exit', kill);
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { said: () => said, kill: () => end('SIGKILL'), [Symbol.asyncDispose]: () => end('SIGTERM') };
}

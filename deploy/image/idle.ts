import { serviceEnvironment } from '@survey/process/environment.ts';
import { run } from '@survey/process/run.ts';
import { startService } from '@survey/process/service.ts';

const { PROBE_LISTEN, LOG_LEVEL } = serviceEnvironment;

await run('idle', { PROBE_LISTEN, LOG_LEVEL }, (settings) =>
  startService('idle', settings, () => Promise.resolve({ address: 'none', ready: () => Promise.resolve(true) })),
);

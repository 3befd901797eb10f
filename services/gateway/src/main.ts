import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startGateway } from './service.ts';

await run('gateway', environment, startGateway);

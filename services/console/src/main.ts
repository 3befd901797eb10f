import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startConsole } from './service.ts';

await run('console', environment, startConsole);

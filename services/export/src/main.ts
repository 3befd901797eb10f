import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startExport } from './service.ts';

await run('export', environment, startExport);

import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startTextAnalysis } from './service.ts';

await run('text-analysis', environment, startTextAnalysis);

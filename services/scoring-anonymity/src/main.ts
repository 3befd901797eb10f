import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startScoringAnonymity } from './service.ts';

await run('scoring-anonymity', environment, startScoringAnonymity);

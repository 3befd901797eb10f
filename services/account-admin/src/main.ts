import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startAccountAdmin } from './service.ts';

await run('account-admin', environment, startAccountAdmin);

import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startImportReconciler } from './service.ts';

await run('import-reconciler', environment, startImportReconciler);

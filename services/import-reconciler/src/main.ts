import { setFlagsFromString } from 'node:v8';
import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startImportReconciler } from './service.ts';

// Without this, the heap more than doubles between two collections, and a large import takes 60 MB
// more without being faster. NODE_OPTIONS does not allow this flag.
setFlagsFromString('--heap-growing-percent=100');

await run('import-reconciler', environment, startImportReconciler);

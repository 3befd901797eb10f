import { setFlagsFromString } from 'node:v8';
import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startImportReconciler } from './service.ts';

// Otherwise the heap more than doubles between two collections: a large import takes 60 MB more,
// and is no faster. NODE_OPTIONS does not allow this flag.
setFlagsFromString('--heap-growing-percent=100');

await run('import-reconciler', environment, startImportReconciler);

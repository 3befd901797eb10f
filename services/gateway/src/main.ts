import { setFlagsFromString } from 'node:v8';
import { run } from '@survey/process/run.ts';
import { environment } from './config.ts';
import { startGateway } from './service.ts';

// V8 counts the buffers of pages as growth of its small heap, and would mark it whole every 9 MB of
// pages. NODE_OPTIONS does not allow this flag.
setFlagsFromString('--heap-growing-percent=100');

await run('gateway', environment, startGateway);

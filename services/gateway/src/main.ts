import { run } from '@survey/process/run.ts';
import { gatewayEnvironment } from './config.ts';
import { startGateway } from './service.ts';

await run('gateway', gatewayEnvironment, startGateway);

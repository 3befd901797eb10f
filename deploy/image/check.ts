import { loadSecretFiles } from '@survey/process/secret-files.ts';
import { checkGateway } from './check/gateway.ts';
import { checkSchema } from './check/schema.ts';
import { checkServices } from './check/services.ts';
import { checkStreams } from './check/streams.ts';

/**
 * One check of a running release. Resolves with a description of what was checked.
 * @throws when the check fails
 */
type Check = (args: readonly string[]) => Promise<string>;

const CHECKS = new Map<string, Check>([
  ['gateway', ([url = '']) => checkGateway(url, process.env['API_KEY'])],
  ['services', checkServices],
  ['streams', () => checkStreams(required('NATS_URL'))],
  ['schema', () => checkSchema(required('DATABASE_URL'))],
]);

const [name = '', ...args] = process.argv.slice(2);
try {
  loadSecretFiles();
  const check = CHECKS.get(name);
  if (check === undefined) throw new Error(`name a check: ${[...CHECKS.keys()].join(', ')}`);
  process.stdout.write(`${await check(args)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : 'failed'}\n`);
  process.exitCode = 1;
}

function required(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === '') throw new Error(`${variable} is not set`);
  return value;
}

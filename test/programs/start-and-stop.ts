// Starts a stack, uses it once and stops it. The process exits only if no handle remains open.
// The first argument is the PostgreSQL server as JSON.
import { z } from 'zod';
import { ROLES } from '@survey/postgres/migrate.ts';
import { startStack } from '../support/stack.ts';

const server = z.object({
  url: z.string(),
  template: z.string(),
  rolePasswords: z.record(z.enum(ROLES), z.string()),
  folder: z.string(),
});

const stack = await startStack(server.parse(JSON.parse(process.argv[2] ?? '')));
const probes = Object.values(stack.services).map(({ probeAddress }) => fetch(`http://${probeAddress}/readyz`));
for (const answer of await Promise.all(probes)) process.stdout.write(`${answer.status} ${await answer.text()}\n`);
const answer = await fetch(`http://${stack.services.gateway.address}/v1/employees`, { headers: { 'x-api-key': 'none' } });
process.stdout.write(`${answer.status}\n`);
await stack.stop();
process.stdout.write('stopped\n');

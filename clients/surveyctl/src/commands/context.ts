import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { checkAddress } from '../address.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { contextNamed, readContexts, writeContexts } from '../contexts.ts';
import { print, renderTable } from '../output.ts';

export function addContextCommands(program: Command): void {
  const context = program.command('context').description('named addresses and certificates, stored for this user');
  addAdd(context);
  addUse(context);
  addList(context);
}

interface AddOptions {
  adminAddress: string;
  cert?: string;
  key?: string;
  ca?: string;
}

function addAdd(context: Command): void {
  context
    .command('add')
    .description('add or replace a context; the first one becomes the current one')
    .argument('<name>', 'name of the context')
    .addOption(new Option('--admin-address <host:port>', 'address of account-admin').makeOptionMandatory())
    .option('--cert <file>', 'PEM certificate of ops-tools; requires --key and --ca')
    .option('--key <file>', 'PEM key of the certificate')
    .option('--ca <file>', 'PEM certificate of the authority')
    .addHelpText(
      'after',
      '\nExample:\n  $ surveyctl context add production --admin-address admin.example.com:7001 --cert tls.crt --key tls.key --ca ca.crt',
    )
    .action(async (name: string, { adminAddress, cert, key, ca }: AddOptions, command: Command) => {
      const address = checkAddress(adminAddress, '--admin-address');
      const { current = name, contexts } = await readContexts();
      const tls = tlsOf(cert, key, ca);
      await writeContexts({ current, contexts: { ...contexts, [name]: { address, ...(tls && { tls }) } } });
      print(command, { context: name, current }, () => `context ${name} added; current: ${current}`);
    });
}

function addUse(context: Command): void {
  context
    .command('use')
    .description('make a context the current one')
    .argument('<name>', 'name of the context')
    .action(async (name: string, _options: unknown, command: Command) => {
      const { contexts } = await readContexts();
      contextNamed(contexts, name);
      await writeContexts({ current: name, contexts });
      print(command, { current: name }, () => `current: ${name}`);
    });
}

function addList(context: Command): void {
  context
    .command('list')
    .description('list the contexts')
    .action(async (_options: unknown, command: Command) => {
      const { current, contexts } = await readContexts();
      print(command, { current, contexts }, () =>
        renderTable(
          ['CURRENT', 'NAME', 'ADDRESS', 'TLS'],
          Object.entries(contexts).map(([name, { address, tls }]) => [
            name === current ? '*' : '',
            name,
            address,
            tls === undefined ? 'off' : 'mutual',
          ]),
        ),
      );
    });
}

function tlsOf(cert: string | undefined, key: string | undefined, ca: string | undefined) {
  if (cert === undefined && key === undefined && ca === undefined) return undefined;
  if (cert === undefined || key === undefined || ca === undefined)
    throw new CommandError('--cert, --key and --ca must be given together', EXIT.usage);
  return { certFile: resolve(cert), keyFile: resolve(key), caFile: resolve(ca) };
}

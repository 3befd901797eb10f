import { resolve } from 'node:path';
import { checkAddress } from '../address.ts';
import { argument, group, localCommand, optional, required } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { contextNamed, readContexts, writeContexts } from '../contexts.ts';
import { renderTable } from '../output.ts';

const add = localCommand('add', {
  about: 'add or replace a context; the first one becomes the current one',
  help: '\nExample:\n  $ surveyctl context add production --admin-address admin.example.com:7001 --cert tls.crt --key tls.key --ca ca.crt',
  inputs: {
    name: argument('<name>', 'name of the context'),
    adminAddress: required('--admin-address <host:port>', 'address of account-admin'),
    cert: optional('--cert <file>', 'PEM certificate of ops-tools; requires --key and --ca'),
    key: optional('--key <file>', 'PEM key of the certificate'),
    ca: optional('--ca <file>', 'PEM certificate of the authority'),
  },
  run: async ({ name, adminAddress, cert, key, ca }) => {
    const address = checkAddress(adminAddress, '--admin-address');
    const { current = name, contexts } = await readContexts();
    const tls = tlsOf(cert, key, ca);
    await writeContexts({ current, contexts: { ...contexts, [name]: { address, ...(tls && { tls }) } } });
    return { json: { context: name, current }, text: () => `context ${name} added; current: ${current}` };
  },
});

const use = localCommand('use', {
  about: 'make a context the current one',
  inputs: { name: argument('<name>', 'name of the context') },
  run: async ({ name }) => {
    const { contexts } = await readContexts();
    contextNamed(contexts, name);
    await writeContexts({ current: name, contexts });
    return { json: { current: name }, text: () => `current: ${name}` };
  },
});

const list = localCommand('list', {
  about: 'list the contexts',
  run: async () => {
    const { current, contexts } = await readContexts();
    const rows = Object.entries(contexts).map(([name, { address, tls }]) => [
      name === current ? '*' : '',
      name,
      address,
      tls === undefined ? 'off' : 'mutual',
    ]);
    return { json: { current, contexts }, text: () => renderTable(['CURRENT', 'NAME', 'ADDRESS', 'TLS'], rows) };
  },
});

export const context = group('context', 'named addresses and certificates, stored for this user', [add, use, list]);

function tlsOf(cert: string | undefined, key: string | undefined, ca: string | undefined) {
  if (cert === undefined && key === undefined && ca === undefined) return undefined;
  if (cert === undefined || key === undefined || ca === undefined)
    throw new CommandError('--cert, --key and --ca must be given together', EXIT.usage);
  return { certFile: resolve(cert), keyFile: resolve(key), caFile: resolve(ca) };
}

import { group, localCommand, withDefault } from '../command.ts';

const HELP = `
conf: users for the configuration of nats-server, with passwords from the variables GATEWAY_PASSWORD and so on.
nsc: commands that create the users in an account of a server with an operator. Then write the output of
nsc generate creds --account <account> --name <user> into the secret of the passwords, under the name of the user.

Examples:
  $ npx surveyctl nats permissions > users.conf
  $ npx surveyctl nats permissions --format nsc --nats-account survey | sh`;

const permissions = localCommand('permissions', {
  about: 'print the users of NATS and their permissions',
  help: HELP,
  inputs: {
    format: withDefault('--format <format>', 'what to print', 'conf', ['conf', 'nsc']),
    account: withDefault('--nats-account <name>', 'account of NATS for nsc', 'survey'),
  },
  run: async ({ format, account }) => {
    const { BUS_USERS, nscCommands, serverUsers } = await import('@survey/bus/permissions.ts');
    const variableOf = (user: string): string => `$${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
    const text = () => (format === 'nsc' ? nscCommands(account) : `authorization { users: [\n${serverUsers(variableOf)}\n] }`);
    return { json: BUS_USERS, text };
  },
});

export const nats = group('nats', 'show what the users of NATS may do', [permissions]);

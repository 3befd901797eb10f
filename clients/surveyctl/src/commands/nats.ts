import { type Command, Option } from 'commander';
import { print } from '../output.ts';

const HELP = `
conf: users for the configuration of nats-server, with passwords from the variables GATEWAY_PASSWORD and so on.
nsc: commands that create the users in an account of a server with an operator. Then write the output of
nsc generate creds --account <account> --name <user> into the secret of the passwords, under the name of the user.

Examples:
  $ npx surveyctl nats permissions > users.conf
  $ npx surveyctl nats permissions --format nsc --nats-account survey | sh`;

export function addNatsCommands(program: Command): void {
  program
    .command('nats')
    .description('show what the users of NATS may do')
    .command('permissions')
    .description('print the users of NATS and their permissions')
    .addOption(new Option('--format <format>', 'what to print').choices(['conf', 'nsc']).default('conf'))
    .option('--nats-account <name>', 'account of NATS for nsc', 'survey')
    .addHelpText('after', HELP)
    .action(async ({ format, natsAccount }: { format: string; natsAccount: string }, command: Command) => {
      const { BUS_USERS, nscCommands, serverUsers } = await import('@survey/bus/permissions.ts');
      const variableOf = (user: string): string => `$${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
      print(command, BUS_USERS, () =>
        format === 'nsc' ? nscCommands(natsAccount) : `authorization { users: [\n${serverUsers(variableOf)}\n] }`,
      );
    });
}

import { Option, type Command } from 'commander';
import type { Integration } from '@survey/proto/admin/v1/admin.ts';
import { accountOption } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print, renderFields, renderTime } from '../output.ts';

export function addIntegrationCommands(program: Command): void {
  const integration = program
    .command('integration')
    .description('manage the REST API integration, without which imports are rejected (404)');
  addConnect(integration);
  addDisconnect(integration);
  addShow(integration);
}

interface ConnectOptions {
  account: number;
  defaultLanguage?: string;
  deletionThreshold?: string;
  identityThreshold?: string;
  onReturn?: string;
}

function addConnect(integration: Command): void {
  integration
    .command('connect')
    .description('connect the integration or change its settings; omitted settings keep their values')
    .addOption(accountOption())
    .option('--default-language <code>', 'ISO 639-1 code for employees imported without a language; initially en')
    .option(
      '--deletion-threshold <percent>',
      'maximum share of the managed employees that one import can offboard, up to 4 decimals; initially 20',
    )
    .option(
      '--identity-threshold <percent|none>',
      'maximum share of them that one import can give to other people, as far as names and addresses tell; initially none',
    )
    .addOption(
      new Option(
        '--on-return <what>',
        'what becomes of role and grants of an employee who was offboarded and is in a snapshot again; initially keep',
      ).choices(['keep', 'reset']),
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ npx surveyctl integration connect --account 1 --default-language de --deletion-threshold 12.5',
    )
    .action(
      withConnection<[ConnectOptions]>(
        async (admin, command, { account, defaultLanguage, deletionThreshold, identityThreshold, onReturn }) => {
          const request = {
            account_id: account,
            default_language: defaultLanguage,
            deletion_threshold: deletionThreshold,
            identity_threshold: identityThreshold,
            on_return: onReturn,
          };
          printIntegration(command, await admin.connectIntegration(request));
        },
      ),
    );
}

function addDisconnect(integration: Command): void {
  integration
    .command('disconnect')
    .description('disconnect the integration: reject imports, cancel a queued one, keep the settings')
    .addOption(accountOption())
    .addHelpText(
      'after',
      '\nDisconnecting again has no effect.\n\nExample:\n  $ npx surveyctl integration disconnect --account 1',
    )
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        printIntegration(command, await admin.disconnectIntegration({ account_id: account }));
      }),
    );
}

function addShow(integration: Command): void {
  integration
    .command('show')
    .description('show the state and settings of the integration')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  $ npx surveyctl integration show --account 1 --json')
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        printIntegration(command, await admin.showIntegration({ account_id: account }));
      }),
    );
}

function printIntegration(command: Command, integration: Integration): void {
  print(command, integration, () =>
    renderFields({
      connected: integration.connected ? 'yes' : 'no',
      default_language: integration.default_language ?? '-',
      deletion_threshold: typeof integration.deletion_threshold === 'string' ? `${integration.deletion_threshold} %` : '-',
      identity_threshold: typeof integration.identity_threshold === 'string' ? `${integration.identity_threshold} %` : '-',
      on_return: integration.on_return ?? '-',
      connected_at: renderTime(integration.connected_at),
      disconnected_at: renderTime(integration.disconnected_at),
    }),
  );
}

import type { Integration } from '@survey/proto/admin/v1/admin.ts';
import { ACCOUNT } from '../arguments.ts';
import { command, example, group, optional, type Output } from '../command.ts';
import { renderFields, renderTime } from '../output.ts';

const connect = command('connect', {
  about: 'connect the integration or change its settings; omitted settings keep their values',
  help: example('integration connect --account 1 --default-language de --deletion-threshold 12.5'),
  inputs: {
    account_id: ACCOUNT,
    default_language: optional(
      '--default-language <code>',
      'ISO 639-1 code for employees imported without a language; initially en',
    ),
    deletion_threshold: optional(
      '--deletion-threshold <percent>',
      'maximum share of the managed employees that one import can offboard, up to 4 decimals; initially 20',
    ),
    identity_threshold: optional(
      '--identity-threshold <percent|none>',
      'maximum share of them that one import can give to other people, as far as names and addresses tell; initially none',
    ),
    on_return: optional(
      '--on-return <what>',
      'what becomes of role and grants of an employee who was offboarded and is in a snapshot again; initially keep',
      ['keep', 'reset'],
    ),
  },
  run: async (admin, request) => outputOf(await admin.connectIntegration(request)),
});

const disconnect = command('disconnect', {
  about: 'disconnect the integration: reject imports, cancel a queued one, keep the settings',
  help: example('integration disconnect --account 1', 'Disconnecting again has no effect.'),
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => outputOf(await admin.disconnectIntegration(account)),
});

const show = command('show', {
  about: 'show the state and settings of the integration',
  help: example('integration show --account 1 --json'),
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => outputOf(await admin.showIntegration(account)),
});

export const integration = group('integration', 'manage the REST API integration, without which imports are rejected (404)', [
  connect,
  disconnect,
  show,
]);

const outputOf = (integration: Integration): Output => ({
  json: integration,
  text: () =>
    renderFields({
      connected: integration.connected ? 'yes' : 'no',
      default_language: integration.default_language ?? '-',
      deletion_threshold: typeof integration.deletion_threshold === 'string' ? `${integration.deletion_threshold} %` : '-',
      identity_threshold: typeof integration.identity_threshold === 'string' ? `${integration.identity_threshold} %` : '-',
      on_return: integration.on_return ?? '-',
      connected_at: renderTime(integration.connected_at),
      disconnected_at: renderTime(integration.disconnected_at),
    }),
});

import { InvalidArgumentError } from 'commander';
import { ACCOUNT, parsePositive, parseTime } from '../arguments.ts';
import { command, example, group, optional, withDefault } from '../command.ts';
import { renderTable, renderTime } from '../output.ts';

const MAX_ENTRIES = 1_000;

function parseLimit(text: string): number {
  const limit = parsePositive(text);
  if (limit > MAX_ENTRIES) throw new InvalidArgumentError(`It must be at most ${MAX_ENTRIES}.`);
  return limit;
}

const list = command('list', {
  about: 'list the changes to an account, newest first',
  help: example('audit list --account 1 --action key --since 2026-11-01'),
  inputs: {
    account_id: ACCOUNT,
    action: optional('--action <prefix>', 'action such as key.create, or group of actions such as key'),
    actor: optional('--actor <text>', 'part of the name of the actor'),
    since: optional('--since <time>', 'time of the first entry in RFC 3339, or its date in UTC', parseTime),
    limit: withDefault('--limit <n>', 'maximum number of entries, up to 1000', 50, parseLimit),
  },
  run: async (admin, request) => {
    const { entries } = await admin.listAudit(request);
    const rows = entries.map(({ at, actor_kind, actor, action, outcome, reason, request_id }) => [
      renderTime(at),
      actor_kind,
      actor,
      action,
      outcome ?? '',
      reason ?? '',
      request_id ?? '',
    ]);
    const head = ['TIME', 'KIND', 'ACTOR', 'ACTION', 'OUTCOME', 'REASON', 'REQUEST'];
    return { json: { entries }, text: () => renderTable(head, rows) };
  },
});

export const audit = group('audit', 'changes to an account, also after its deletion', [list]);

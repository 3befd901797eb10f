import { InvalidArgumentError, Option, type Command } from 'commander';
import { accountOption, parsePositive, parseTime } from '../arguments.ts';
import { print, renderTable, renderTime } from '../output.ts';
import { withConnection } from '../with-connection.ts';

const MAX_ENTRIES = 1_000;

function parseLimit(text: string): number {
  const limit = parsePositive(text);
  if (limit > MAX_ENTRIES) throw new InvalidArgumentError(`It must be at most ${MAX_ENTRIES}.`);
  return limit;
}

interface AuditOptions {
  readonly account: number;
  readonly action?: string;
  readonly actor?: string;
  readonly since?: string;
  readonly limit: number;
}

/** Adds `audit list`, the changes to an account with actor, time and reason. */
export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('changes to an account, also after its deletion')
    .command('list')
    .description('list the changes to an account, newest first')
    .addOption(accountOption())
    .option('--action <prefix>', 'action such as key.create, or group of actions such as key')
    .option('--actor <text>', 'part of the name of the actor')
    .addOption(new Option('--since <time>', 'time of the first entry in RFC 3339, or its date in UTC').argParser(parseTime))
    .option('--limit <n>', 'maximum number of entries, up to 1000', parseLimit, 50)
    .addHelpText('after', '\nExample:\n  $ npx surveyctl audit list --account 1 --action key --since 2026-11-01')
    .action(
      withConnection<[AuditOptions]>(async (admin, command, { account: account_id, ...filters }) => {
        const { entries } = await admin.listAudit({ account_id, ...filters });
        print(command, { entries }, () =>
          renderTable(
            ['TIME', 'KIND', 'ACTOR', 'ACTION', 'OUTCOME', 'REASON', 'REQUEST'],
            entries.map(({ at, actor_kind, actor, action, outcome, reason, request_id }) => [
              renderTime(at),
              actor_kind,
              actor,
              action,
              outcome ?? '',
              reason ?? '',
              request_id ?? '',
            ]),
          ),
        );
      }),
    );
}

import type { Command } from 'commander';
import { accountOption, parsePositive } from '../arguments.ts';
import { print, renderTable } from '../output.ts';
import { withConnection } from '../with-connection.ts';

/** Adds `key usage`, the requests of each key by day. */
export function addKeyUsage(key: Command): void {
  key
    .command('usage')
    .description('list the requests of each key by day (UTC), delayed by up to 2 minutes')
    .addOption(accountOption())
    .option('--days <n>', 'number of days, up to 400', parsePositive, 14)
    .addHelpText('after', '\nExample:\n  $ npx surveyctl key usage --account 1 --days 30')
    .action(
      withConnection<[{ account: number; days: number }]>(async (admin, command, { account: account_id, days }) => {
        const { usage } = await admin.listUsage({ account_id, days });
        print(command, { usage }, () =>
          renderTable(
            ['DAY', 'KEY', 'SUCCEEDED', 'REJECTED', 'RATE-LIMITED', 'FAILED'],
            usage.map(({ day, key_id, succeeded, rejected, throttled, failed }) => [
              day,
              key_id,
              ...[succeeded, rejected, throttled, failed].map(String),
            ]),
          ),
        );
      }),
    );
}

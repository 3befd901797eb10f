import type { Command } from 'commander';
import { accountOption, parseDay } from '../arguments.ts';
import { print, renderTable, renderTime } from '../output.ts';
import { withConnection } from '../with-connection.ts';

interface ReportOptions {
  readonly account: number;
  readonly from?: string;
  readonly to?: string;
}

const HELP = `
Counts questions, never respondents or answers. Cycles that have not settled are missing.

Example:
  $ npx surveyctl anonymity report --account 1 --from 2026-01-01 --to 2026-12-31`;

/** Adds `anonymity report`, what the disclosure guard has released and withheld. */
export function addAnonymityCommands(program: Command): void {
  program
    .command('anonymity')
    .description('report what the disclosure guard releases and withholds')
    .command('report')
    .description('list the questions of each settled cycle that are released or withheld, with the reason, and the settings')
    .addOption(accountOption())
    .option('--from <date>', 'first day (UTC) on which a cycle closed', parseDay)
    .option('--to <date>', 'last day (UTC) on which a cycle closed', parseDay)
    .addHelpText('after', HELP)
    .action(
      withConnection<[ReportOptions]>(async (admin, command, { account: account_id, from, to }) => {
        const report = await admin.reportAnonymity({ account_id, from: from ?? null, to: to ?? null });
        const settings = renderTable(
          ['CHANGED', 'GUARD', 'SETTLING HOURS'],
          report.settings.map((each) => [renderTime(each.changed_at), each.disclosure_guard, String(each.guard_settling_hours)]),
        );
        const cycles = renderTable(
          ['CLOSED', 'SURVEY', 'CYCLE', 'SCORES', 'TOO FEW', 'DOMINATED', 'LATE', 'TEXTS', 'WITHHELD'],
          report.cycles.map(({ day, survey_id, cycle_id, ...counts }) => [
            day,
            String(survey_id),
            cycle_id,
            ...[counts.scores_released, counts.scores_too_few, counts.scores_dominated, counts.scores_late].map(String),
            ...[counts.texts_released, counts.texts_withheld].map(String),
          ]),
        );
        print(command, report, () => `${settings}\n\n${cycles}`);
      }),
    );
}

import type { AnonymityReport } from '@survey/proto/admin/v1/admin.ts';
import { ACCOUNT, parseDay } from '../arguments.ts';
import { command, group, optional } from '../command.ts';
import { renderTable, renderTime } from '../output.ts';

const HELP = `
Counts questions, never respondents or answers. Cycles that have not settled are missing.

Example:
  $ npx surveyctl anonymity report --account 1 --from 2026-01-01 --to 2026-12-31`;

const report = command('report', {
  about: 'list the questions of each settled cycle that are released or withheld, with the reason, and the settings',
  help: HELP,
  inputs: {
    account_id: ACCOUNT,
    from: optional('--from <date>', 'first day (UTC) on which a cycle closed', parseDay),
    to: optional('--to <date>', 'last day (UTC) on which a cycle closed', parseDay),
  },
  run: async (admin, request) => {
    const report = await admin.reportAnonymity(request);
    return { json: report, text: () => renderReport(report) };
  },
});

/** What the disclosure guard has released and withheld. */
export const anonymity = group('anonymity', 'report what the disclosure guard releases and withholds', [report]);

function renderReport({ settings, cycles }: AnonymityReport): string {
  const changes = settings.map((each) => [renderTime(each.changed_at), each.disclosure_guard, String(each.guard_settling_hours)]);
  const released = cycles.map(({ day, survey_id, cycle_id, ...counts }) => [
    day,
    String(survey_id),
    cycle_id,
    ...[counts.scores_released, counts.scores_too_few, counts.scores_dominated, counts.scores_late].map(String),
    ...[counts.texts_released, counts.texts_withheld].map(String),
  ]);
  const head = ['CLOSED', 'SURVEY', 'CYCLE', 'SCORES', 'TOO FEW', 'DOMINATED', 'LATE', 'TEXTS', 'WITHHELD'];
  return `${renderTable(['CHANGED', 'GUARD', 'SETTLING HOURS'], changes)}\n\n${renderTable(head, released)}`;
}

import { expect, it } from 'vitest';
import { importReason, importReasonText, recordReasonText } from './import-reasons.ts';

it.each([
  ['en', 'Offboarding 1,234 of 5,000 managed employees is 24.7%, above the threshold of 20%'],
  [
    'de',
    'Nach dem Import wären 1.234 von 5.000 verwalteten Beschäftigten ausgeschieden, das sind 24,7 % und mehr als die Löschschwelle von 20 %',
  ],
] as const)('renders a reason with its figures in %s [IMPORT-LIFECYCLE-CANCEL-4]', (language, text) => {
  const reason = importReason('deletion_threshold', { count: 1_234, managed: 5_000, threshold: '20' });
  expect(importReasonText(reason, language).replaceAll('\u00a0', ' ')).toBe(text);
});

it('shows as many digits as the sentence needs to be true [IMPORT-LIFECYCLE-CANCEL-4]', () => {
  const reason = importReason('deletion_threshold', { count: 1, managed: 3, threshold: '33.3333' });
  expect(importReasonText(reason, 'en')).toContain('is 33.33333%, above the threshold of 33.3333%');
});

it('lists the first places and counts the others [IMPORT-LIFECYCLE-CANCEL-1]', () => {
  const blank = importReason('import_id_blank', { count: 3, records: [0, 4] });
  expect(importReasonText(blank, 'en')).toBe('Records with an empty import_id: 3 (/employees/0, /employees/4 and 1 more)');
  const repeated = importReason('import_id_repeated', { count: 2, records: [1, 5, 2, 6] });
  expect(importReasonText(repeated, 'de')).toBe(
    'Dieselbe import_id kommt zweimal vor: /employees/1 und /employees/5, /employees/2 und /employees/6',
  );
});

it('shows a code of a later release as it is', () => {
  expect(importReasonText({ code: 'toString', records: [] }, 'en')).toBe('toString');
  expect(recordReasonText('constructor', 'de')).toBe('constructor');
});

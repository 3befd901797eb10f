import { expect, it } from 'vitest';
import { FACT_REASON_CODES, factReasonText } from './reasons.ts';

it.each([
  ['employee_erased', 'the employee is erased'],
  ['database_rejects:23514', 'the database rejects it (23514)'],
  [
    'invalid:survey_id not_a:number; attributes/0 unknown_property:id; more:4',
    /^survey_id must be a number; attributes\/0 has a .*: id; and 4 more$/,
  ],
])('says %s in words', (reason, words) => {
  expect(factReasonText(reason)).toMatch(words);
});

it('has words for every code', () => {
  for (const code of FACT_REASON_CODES) expect(factReasonText(`${code}:x`)).toMatch(code === 'invalid' ? /^x$/ : / /);
});

it.each([
  'survey_id must be a number; id is missing; and 2 more',
  'counts of option 3 is not changed, because a closed cycle has answers to it; the rest is applied',
  'a_later_code:5',
])('shows a sentence of release 0.1 and a code of a later release as it is: %s', (reason) => {
  expect(factReasonText(reason)).toBe(reason);
});

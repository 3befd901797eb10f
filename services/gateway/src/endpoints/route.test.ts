import { expect, it } from 'vitest';
import { deprecationHeaders } from './route.ts';

it('announces the end of an operation from one flag', () => {
  const headers = deprecationHeaders({ id: 'listSurveys', deprecation: { since: '2027-01-01', sunset: '2028-01-01' } });
  expect(Object.fromEntries(headers)).toEqual({
    deprecation: '@1798761600',
    sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
    link: '</docs#listSurveys>; rel="deprecation"; type="text/html"',
  });
  expect([...deprecationHeaders({ id: 'listSurveys' })]).toEqual([]);
});

it.each(['2027-12-31', 'soon'])('does not serve an operation that ends too early (%s)', (sunset) => {
  const deprecation = { since: '2027-01-01', sunset };
  expect(() => deprecationHeaders({ id: 'listSurveys', deprecation })).toThrow('less than 365 days');
});

import { expect, it } from 'vitest';
import { bars } from './bars.ts';

it('draws bars from zero up to the highest value, escapes their titles and leaves zeros out', async () => {
  const data = [
    { x: 0, value: 5, title: '<b>&' },
    { x: 1, value: 0, title: 'zero' },
    { x: 2, value: 10, title: 'most', colour: 'var(--bad)' },
  ];
  const svg = String(await bars(data, { columns: 3, colour: 'var(--c1)', label: 'Days "1"' }));
  expect(svg).toContain('aria-label="Days &quot;1&quot;"');
  expect(svg).toContain('<title>&lt;b&gt;&amp;</title>');
  expect(svg).not.toContain('zero');
  expect(svg).toMatch(/<svg[^>]*fill="var\(--c1\)"/);
  expect(svg).toContain('height="19.00" ><title>');
  expect(svg).toContain('height="38.00" fill="var(--bad)"><title>most');
});

it('gives rows of one figure the same scale', async () => {
  const svg = String(await bars([{ x: 0, value: 5, title: '' }], { columns: 1, colour: 'var(--c1)', label: '', highest: 50 }));
  expect(svg).toContain('height="3.80"');
});

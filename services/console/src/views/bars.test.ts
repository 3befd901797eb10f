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
  const heights = [...svg.matchAll(/height="([\d.]+)"\s+fill="([^"]+)"/g)].map(([, height, fill]) => [Number(height), fill]);
  expect(heights).toEqual([
    [19, 'var(--c1)'],
    [38, 'var(--bad)'],
  ]);
});

it('gives rows of one figure the same scale', async () => {
  const svg = String(await bars([{ x: 0, value: 5, title: '' }], { columns: 1, colour: 'var(--c1)', label: '', highest: 50 }));
  expect(svg).toMatch(/height="3.80"\s+fill/);
});

import { expect, it } from 'vitest';
import { seededRandom } from '../../support/random.ts';
import { drawCustomers, fitLine, predictNight, type Customer, type NightCosts } from './model.ts';

// One second and one processor for each import and read, of whatever size.
const line = { seconds: [1, 0], processors: { gateway: [1, 0] } } as const;
const COSTS: NightCosts = { unchanged: line, changed: line, export: line };
const customer = (sendsAt: number): Customer => ({ employees: 10, sendsAt, isChanged: false });

it('predicts work that never waits while the processors suffice', () => {
  const night = predictNight(COSTS, [customer(0), customer(0)], 2);
  expect(night).toMatchObject({ importSeconds: [1, 1], endsAt: 2, processorSeconds: { gateway: 4 } });
});

it('predicts work that shares the processors when they do not suffice', () => {
  const night = predictNight(COSTS, [customer(0), customer(0)], 1);
  expect(night).toMatchObject({ importSeconds: [2, 2], endsAt: 4 });
});

it('finds the busiest five minutes', () => {
  expect(predictNight(COSTS, [customer(0), customer(300), customer(300)], 4).busiest).toBeCloseTo(4 / 300);
});

it('fits the line that its points are on', () => {
  const [fixed, each] = fitLine([100, 1_000, 10_000].map((size) => [size, 3 + size / 100]));
  expect([fixed, each]).toEqual([expect.closeTo(3), expect.closeTo(0.01)]);
});

it('draws customers within the limits, with the median asked for', () => {
  const sizes = { median: 3_000, spread: 1.5, smallest: 100, largest: 300_000, windowSeconds: 60, changed: 0.1 };
  const drawn = drawCustomers(2_000, sizes, seededRandom(1));
  const employees = drawn.map((each) => each.employees).toSorted((a, b) => a - b);
  expect(employees[0]).toBeGreaterThanOrEqual(100);
  expect(employees.at(-1)).toBeLessThanOrEqual(300_000);
  expect(employees[1_000]).toBeGreaterThan(2_500);
  expect(employees[1_000]).toBeLessThan(3_500);
  expect(drawn.filter(({ isChanged }) => isChanged).length).toBeGreaterThan(150);
});

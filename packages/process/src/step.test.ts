import { expect, it } from 'vitest';
import { openSteps, step } from './step.ts';

it('a step is nothing to wait for, unless tests ask for it', () => {
  openSteps({});
  expect(step('import.claimed')).toBeUndefined();
});

it('production has no steps', () => {
  expect(() => openSteps({ FAULT_STEPS: 'on', NODE_ENV: 'production' })).toThrow('FAULT_STEPS is for tests alone: unset it');
});

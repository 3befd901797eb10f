import { describe, expect, it } from 'vitest';
import {
  formBlocks,
  formsBlock,
  reasonWithheld,
  releaseGuardedScore,
  releaseParticipation,
  releasesBlock,
} from './disclosure-guard.ts';

// Respondents with one answer each.
const group = (respondents: number, answers = respondents, mostAnswers = 1) => ({ respondents, answers, mostAnswers });

describe('a cell', () => {
  const forms = (configuredThreshold: number | null, ...of: Parameters<typeof group>) =>
    formsBlock({ configuredThreshold, ...group(...of) });

  it('forms a block from its threshold on [GUARD-BLOCKS-1]', () => {
    expect([forms(7, 6), forms(7, 7), forms(null, 4), forms(null, 5)]).toEqual([false, true, false, true]);
  });

  it('forms none if one respondent gave more than a third of its answers [GUARD-BLOCKS-2]', () => {
    expect([forms(5, 9, 12, 4), forms(5, 9, 12, 5)]).toEqual([true, false]);
  });

  it('is withheld because it has too few respondents, or else because one dominates it', () => {
    expect(reasonWithheld(5, [group(2), group(2)])).toBe('too_few');
    expect(reasonWithheld(5, [group(2), group(3)])).toBe('dominated');
  });
});

describe('the groups of a cell [GUARD-TEXTS-2]', () => {
  it('form a block each, and the others one together', () => {
    expect(formBlocks(3, [group(3), group(1), group(4), group(2)])).toEqual([[0], [2], [1, 3]]);
    expect(formBlocks(3, [group(4), group(3)])).toEqual([[1], [0]]);
  });

  it('are joined by the smallest other block until the rest forms one', () => {
    expect(formBlocks(3, [group(9), group(1), group(4)])).toEqual([[0], [1, 2]]);
    // One respondent has 5 of the 11 answers of two groups, but less than a third of all.
    expect(formBlocks(3, [group(1, 5, 5), group(6), group(6)])).toEqual([[0, 1, 2]]);
  });

  it('form none if all together do not', () => {
    expect(formBlocks(9, [group(3), group(5)])).toEqual([]);
    expect(formBlocks(3, [group(1), group(3, 9, 9)])).toEqual([]);
    expect(formBlocks(3, [])).toEqual([]);
  });
});

it('releases a block by the current threshold of its question [GUARD-BLOCKS-4]', () => {
  expect([5, 6, 7].map((respondents) => releasesBlock({ scoreThreshold: 6 }, respondents))).toEqual([false, true, true]);
});

describe('a score', () => {
  const scale = { denominator: 1, numerators: new Map() } as never;
  const tally = { sum: 1, denominator: 2, count: 1 };
  const asked = (...thresholds: (number | null)[]) => thresholds.map((scoreThreshold) => ({ scoreThreshold, scale }));
  const withheld = { score: null, suppressed: true, suppression_reason: 'below_anonymity_threshold', respondents: 0 };
  const release = (questions: ReturnType<typeof asked>, respondents: number, tallies = questions.map(() => tally)) =>
    releaseGuardedScore({ questions, respondents, tallies });

  it('needs the strictest threshold, and has a multiple of it as respondents [GUARD-SCORES-2, GUARD-SCORES-3]', () => {
    expect(release(asked(7, 5), 6)).toEqual(withheld);
    expect(release(asked(7, 5), 7)).toEqual({ score: 50, suppressed: false, suppression_reason: null, respondents: 7 });
    expect(release(asked(7, 5), 20).respondents).toBe(14);
    expect(release(asked(5), Number.NaN)).toEqual(withheld);
  });

  it('needs a block of every question that has a scale, and an answer [GUARD-SCORES-2]', () => {
    expect(release(asked(5, 5), 9, [tally])).toEqual(withheld);
    expect(
      releaseGuardedScore({
        questions: [...asked(5), { scoreThreshold: 5, scale: undefined }],
        respondents: 9,
        tallies: [tally],
      }),
    ).toMatchObject({ score: 50 });
    expect(release(asked(5), 9, [{ ...tally, count: 0 }])).toEqual(withheld);
    expect(release(asked(5, 5), 9, [tally, { ...tally, count: 0 }])).toMatchObject({ score: 50 });
    expect(release([], 9)).toEqual(withheld);
  });

  it('shows participation in multiples of the threshold, of cycles that reach it [GUARD-SEGMENTS-3]', () => {
    const cycles = [
      { cycleId: 'a', assigned: 19, respondents: 12 },
      { cycleId: 'b', assigned: 6, respondents: 6 },
      { cycleId: 'c', assigned: 6, respondents: 5 },
      { cycleId: 'd', assigned: 5, respondents: 6 },
    ];
    expect(releaseParticipation(asked(3, 6), cycles)).toEqual([
      { cycleId: 'a', assigned: 18, respondents: 12 },
      { cycleId: 'b', assigned: 6, respondents: 6 },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { chooseInstance } from './account-balancer.ts';

const instances = (...calls: number[]) => calls.map((count, at) => ({ name: `10.0.0.${at}:50051`, calls: count }));
const FOUR = instances(0, 0, 0, 0);
const KEYS = Array.from({ length: 4_000 }, (_, at) => String(at));
const chosen = (of: typeof FOUR): (string | undefined)[] => KEYS.map((key) => chooseInstance(key, of)?.name);

describe('rendezvous hashing', () => {
  it('distributes keys evenly, whatever the order of the instances', () => {
    const names = chosen(FOUR);
    for (const { name } of FOUR) {
      const share = names.filter((one) => one === name).length;
      expect(share).toBeGreaterThan(900);
      expect(share).toBeLessThan(1_100);
    }
    expect(chosen(FOUR.toReversed())).toEqual(names);
  });

  it('moves only the keys of an instance that leaves', () => {
    const [left, ...others] = FOUR;
    const after = chosen(others);
    for (const [at, before] of chosen(FOUR).entries()) expect(after[at] === before).toBe(before !== left?.name);
  });

  it('skips a busy instance whose load exceeds the mean by 25 %', () => {
    expect(new Set(chosen(instances(15, 0, 0, 0))).size).toBe(4);
    expect(chosen(instances(16, 0, 0, 0))).not.toContain(FOUR[0]?.name);
    expect(new Set(chosen(instances(40, 40, 40, 40))).size).toBe(4);
    expect(chosen(instances(60, 40, 40, 40))).not.toContain(FOUR[0]?.name);
  });

  it('returns undefined without instances', () => {
    expect(chooseInstance('1', [])).toBeUndefined();
  });
});

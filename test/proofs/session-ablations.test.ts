import { expect, it } from 'vitest';
import { Histories, sessionSchedules, type Ablation } from '../property/session-histories.ts';
import { startFileRedis } from '../support/file-redis.ts';

const { url } = await startFileRedis();

// Without one of these lines, the store breaks a promise of docs/adr/0030.
const ABLATIONS: readonly (readonly [promise: string, ...ablation: Ablation])[] = [
  ['a sign-out everywhere ends sessions', 'isOver(s.begun, s.subject, s.sid)', 'false'],
  ['a sign-out everywhere ends sign-ins that began before', 'if isOver(begun, subject, sid) then return 0 end', ''],
  [
    'a sign-out at the provider ends its session only',
    'for _, marker in ipairs({...}) do',
    'for _, marker in ipairs({(...)}) do',
  ],
  ['a late request overwrites nothing', 's.version ~= version', 'false'],
  ['a replaced id changes nothing', 'if isReplaced or s.version', 'if s.version'],
  ['a replaced id serves for 30 s', 'now < tonumber(s.serves)', 'true'],
  ['a replaced id gets no new time', 'if isCurrent then extend', 'if true then extend'],
  ['a replaced id is replaced', "'current', replacement", "'unused', replacement"],
  ['an idle session ends', 'now >= tonumber(s.idle)', 'false'],
  ['a session ends after its longest time', 'now >= tonumber(s.ends)', 'false'],
  ['the end of a session is final', "return redis.call('DEL', KEYS[1])", 'return 1'],
  ['no two moments are the same', "math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0) + 1)", 'now'],
];

it.each(ABLATIONS)('finds what breaks without the line for: %s', { timeout: 300_000 }, async (_, ...ablation) => {
  await using runs = new Histories(url, ablation);
  const broken = async (): Promise<string | undefined> => {
    for (const schedule of sessionSchedules()) {
      const found = await runs.run(schedule).catch((error: unknown) => String(error));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  expect(await broken()).toMatch(/the store says/);
});

import { expect, it } from 'vitest';
import { AccountSlots } from './account-slots.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Runs named work that lasts until the test ends it. */
function openWork(limiter: AccountSlots) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const all: Promise<void>[] = [];
  return {
    begun,
    add: (accountId: number, name: string, waiting?: Parameters<AccountSlots['run']>[2]): Promise<void> => {
      const work = async (): Promise<void> => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        if (name.startsWith('failing')) throw new Error('it failed');
      };
      const done = limiter.run(accountId, work, waiting);
      all.push(done.catch(() => undefined));
      return done;
    },
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      await settled();
    },
  };
}

it('starts no more than the limit, in order per account, also after a failure', async () => {
  const limiter = new AccountSlots({ max: 2, maxPerAccount: 2 });
  const { begun, add, end } = openWork(limiter);
  const failing = add(1, 'failing a');
  failing.catch(() => undefined);
  for (const name of ['b', 'c', 'd']) void add(1, name);
  await settled();
  expect([begun, limiter.hasCapacity]).toEqual([['failing a', 'b'], false]);
  await end('failing a');
  await expect(failing).rejects.toThrow('it failed');
  expect(begun).toEqual(['failing a', 'b', 'c']);
  for (const name of ['b', 'c', 'd']) await end(name);
  expect([begun.length, limiter.hasCapacity]).toEqual([4, true]);
});

it('alternates between accounts and respects the limit per account', async () => {
  const { begun, add, end } = openWork(new AccountSlots({ max: 3, maxPerAccount: 2 }));
  for (const name of ['1a', '1b', '1c', '1d']) void add(1, name);
  void add(2, '2a');
  await settled();
  expect(begun).toEqual(['1a', '1b', '2a']);
  for (const name of ['2b', '2c']) void add(2, name);
  void add(3, '3a');
  for (const name of ['1a', '2a', '1b', '1c']) await end(name);
  expect(begun.slice(3)).toEqual(['1c', '2b', '3a', '1d']);
});

it('leaves slots of the whole that a part cannot take, and lets the part wait without one', async () => {
  const all = new AccountSlots({ max: 3, maxPerAccount: 1 });
  const long = new AccountSlots({ max: 2, maxPerAccount: 1, partOf: all });
  const longWork = openWork(long);
  const shortWork = openWork(all);
  for (const accountId of [1, 2, 3]) void longWork.add(accountId, `long ${accountId}`);
  for (const accountId of [4, 5]) void shortWork.add(accountId, `short ${accountId}`);
  await settled();
  expect([longWork.begun, shortWork.begun, long.hasCapacity]).toEqual([['long 1', 'long 2'], ['short 4'], false]);
  await shortWork.end('short 4');
  expect(shortWork.begun).toEqual(['short 4', 'short 5']);
  await longWork.end('long 1');
  expect(longWork.begun).toEqual(['long 1', 'long 2', 'long 3']);
});

it('reports each change of a queue position and removes the work of an aborted caller', async () => {
  const { begun, add, end } = openWork(new AccountSlots({ max: 1, maxPerAccount: 1 }));
  const positions: Record<string, number> = {};
  const told = (name: string) => ({ onPosition: (position: number) => void (positions[name] = position) });
  const leaving = new AbortController();
  void add(1, 'first');
  const left = add(1, 'left', { ...told('left'), signal: leaving.signal });
  void add(1, '1b', told('1b'));
  void add(2, '2a', told('2a'));
  expect(positions).toEqual({ left: 1, '1b': 3, '2a': 2 });
  leaving.abort(new Error('the caller has disconnected'));
  await expect(left).rejects.toThrow('disconnected');
  expect(positions).toMatchObject({ '1b': 1, '2a': 2 });
  await end('first');
  await end('1b');
  await end('2a');
  expect(begun).toEqual(['first', '1b', '2a']);
});

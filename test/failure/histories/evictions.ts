// Loaded before the services of the histories: a look-up in a cache of accounts finds its entry
// evicted, as if other accounts had filled the cache.
import { AccountCache } from '@survey/postgres/account-cache.ts';

const ONE_IN = 20;

const look: (this: AccountCache<object>, accountId: number) => object | undefined = Reflect.get(AccountCache.prototype, 'get');
const evict: typeof look = function (accountId) {
  if (Math.random() < 1 / ONE_IN) this.delete(accountId);
  return look.call(this, accountId);
};
Object.assign(AccountCache.prototype, { get: evict });

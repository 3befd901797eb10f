import { expect, it } from 'vitest';
import { connectRedis, redisUrl } from './open-redis.ts';

const options = (url: string) => connectRedis(url, { lazyConnect: true }).options;

it('reads one server', () => {
  expect(options('rediss://default:a%2Fb@cache:6380')).toMatchObject({ host: 'cache', password: 'a/b' });
});

it('reads Sentinels, with the group and credentials of the first', () => {
  expect(options('redis+sentinel://default:a%2Fb@one/survey, redis+sentinel://two:26380')).toMatchObject({
    sentinels: [
      { host: 'one', port: 26_379 },
      { host: 'two', port: 26_380 },
    ],
    name: 'survey',
    password: 'a/b',
    sentinelPassword: 'a/b',
  });
});

it('reads addresses of IPv6', () => {
  expect(options('redis://[fd00::1]:6380').host).toBe('fd00::1');
  expect(options('redis+sentinel://[fd00::1]/survey').sentinels).toEqual([{ host: 'fd00::1', port: 26_379 }]);
});

it.each(['one:6379', 'http://secret-host', 'redis+sentinel://secret-host', 'redis://secret-host,redis://two', ''])(
  'rejects %j and does not repeat it',
  (url) => {
    const { error } = redisUrl.safeParse(url);
    expect(error?.message).toContain('must be redis://host:port, or redis+sentinel://host:port/group');
    expect(error?.message).not.toContain('secret');
  },
);

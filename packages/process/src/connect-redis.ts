import { Redis, type RedisOptions } from 'ioredis';
import { z } from 'zod';

// Without those that change the type of results.
type Options = Omit<RedisOptions, 'replyMapping'>;

/** Setting with the address of Redis. Its error never repeats the value. */
export const redisUrl = z.string().refine((url) => targetOf(url) !== undefined, {
  error: 'must be redis://host:port, or redis+sentinel://host:port/group for each Sentinel, separated by commas',
});

/**
 * Creates a client of one server (`redis://user:password@host:port`) or of the primary that
 * Sentinels name (`redis+sentinel://user:password@host:port/group`, separated by commas). The first
 * URL has the group and the credentials of servers and Sentinels. `rediss` requires TLS.
 * @throws for a malformed URL, without repeating it
 */
export function connectRedis(url: string, options: Options): Redis {
  const target = targetOf(url);
  if (target === undefined) throw new Error('cannot connect to Redis: malformed URL');
  return typeof target === 'string' ? new Redis(target, options) : new Redis({ ...options, ...target });
}

function targetOf(text: string): string | Options | undefined {
  const urls = text.split(',').map((one) => URL.parse(one.trim()));
  const [first] = urls;
  if (first == null || urls.some((url) => url?.protocol !== first.protocol || url.hostname === '')) return undefined;
  if (/^rediss?:$/.test(first.protocol)) return urls.length === 1 ? text : undefined;
  const name = first.pathname.slice(1);
  if (!/^rediss?\+sentinel:$/.test(first.protocol) || name === '') return undefined;
  const username = decodeURIComponent(first.username);
  const password = decodeURIComponent(first.password);
  return {
    name,
    sentinels: urls.flatMap((url) => (url === null ? [] : [{ host: url.hostname, port: Number(url.port || 26_379) }])),
    ...(password !== '' && { username, password, sentinelUsername: username, sentinelPassword: password }),
    ...(first.protocol.startsWith('rediss') && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

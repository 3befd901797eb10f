import { isIP } from 'node:net';

const NETWORK_GROUPS = 4;

/**
 * Returns the address of a client from what a trusted proxy has written. Some write `ip:port` or
 * `unknown`; if it names nobody, the address of the connection is used.
 */
export function clientAddress(forwarded: string, connected: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(forwarded) ?? [];
  const client = [forwarded, bracketed ?? plain ?? '', connected].find((address) => isIP(address) !== 0) ?? '';
  return /^::ffff:([\d.]+)$/i.exec(client)?.[1] ?? client;
}

/** Returns what limits count by: a subscriber has a /64 of IPv6 addresses, so one is not enough. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before = [], after = []] = address.split('::').map((part) => part.split(':'));
  const zeros = address.includes('::') ? Array.from({ length: 8 - before.length - after.length }, () => '0') : [];
  const groups = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group || '0', 16).toString(16)).join(':')}::/64`;
}

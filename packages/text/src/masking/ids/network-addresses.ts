import { isIP } from 'node:net';
import { allMatches } from '../all-matches.ts';
import type { Span } from '../masker.ts';
import type { TextLooks } from '../text-looks.ts';

const IPV4 = /(?<![\p{N}.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/gu;
const IPV6 = /(?<![\p{L}\p{N}:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\p{L}\p{N}:])/giu;

/** Finds IP addresses. A version, such as 10.2.14.1 after that word, is less certain to be one. */
export function findNetworkAddresses(text: string, { colons }: TextLooks): Span[] {
  // `::` and times such as 10:30:00 identify no person.
  const addresses = colons > 1 ? allMatches(text, IPV6).filter(({ 0: value }) => isIP(value) === 6 && value.length > 6) : [];
  for (const match of allMatches(text, IPV4)) if (isIP(match[0]) === 4) addresses.push(match);
  return addresses.map(({ 0: value, index }) => ({
    start: index,
    end: index + value.length,
    category: 'id',
    source: 'ip',
    // Above a count (`193 blocked`), below a version.
    confidence: 0.76,
  }));
}

import { validate as isBsn } from 'stdnum/lib/cjs/nl/bsn.js';
import { validate as isDni } from 'stdnum/lib/cjs/es/dni.js';
import { validate as isIdnr } from 'stdnum/lib/cjs/de/idnr.js';
import { validate as isNino } from 'stdnum/lib/cjs/gb/nino.js';
import { validate as isNir } from 'stdnum/lib/cjs/fr/nir.js';

export type Random = () => number;

/** Returns a deterministic random number generator (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const digits = (random: Random, count: number): string => Array.from({ length: count }, () => Math.floor(random() * 10)).join('');

/**
 * Returns a valid national id of the language's main country; draws until the check digit is
 * correct.
 */
export function nationalId(language: string, random: Random): string {
  for (;;) {
    const value = draw(language, random);
    const validate = { de: isIdnr, fr: isNir, es: isDni, nl: isBsn }[language] ?? isNino;
    if (validate(value).isValid) return value;
  }
}

function draw(language: string, random: Random): string {
  const letter = (from: string) => from[Math.floor(random() * from.length)] ?? '';
  if (language === 'de') return digits(random, 11);
  if (language === 'nl') return digits(random, 9);
  if (language === 'es') return digits(random, 8) + letter('TRWAGMYFPDXBNJZSQVHLCKE');
  if (language === 'en')
    return `${letter('ABCEHJLM')}${letter('ABCEHJLM')} ${digits(random, 2)} ${digits(random, 2)} ${digits(random, 2)} ${letter('ABCD')}`;
  const birth = `${letter('12')}${digits(random, 2)}${letter('0')}${letter('123456789')}75${digits(random, 6)}`;
  const key = 97n - (BigInt(birth) % 97n);
  return `${birth.slice(0, 1)} ${birth.slice(1, 3)} ${birth.slice(3, 5)} ${birth.slice(5, 7)} ${birth.slice(7, 10)} ${birth.slice(10)} ${String(key).padStart(2, '0')}`;
}

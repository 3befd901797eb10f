import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { domainToASCII } from 'node:url';
import { asciiDomain, emailKey, isMailbox, isUsualEmail, mailboxOf } from './email-key.ts';

// Of the code points after those of most alphabets.
const STEP = Number(process.env['CODE_POINT_STEP'] ?? 16);
const codePoints = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0x2000 || code % STEP === 0);

const isSame = (a: string, b: string): boolean => emailKey(`${a}@b.example`) === emailKey(`${b}@b.example`);

describe('emailKey', () => {
  it.each([
    ['final sigma', '\u0391\u03a3', '\u03b1\u03c2'],
    ['sigma', '\u0391\u03a3', '\u03b1\u03c3'],
    ['capital sharp s', 'STRA\u1e9eE', 'stra\u00dfe'],
    ['composed and decomposed letters', 'Zo\u00eb', 'zoe\u0308'],
    ['letters composed only in lower case', 'J\u030c', '\u01f0'],
    ['the kelvin sign', '\u212a', 'k'],
    ['digraphs in title case', '\u01c5', '\u01c6'],
    ['letters beyond the basic plane', '\u{10400}', '\u{10428}'],
    ['surrounding white space', ' \u00a0ann', 'ANN'],
    ['format characters', 'a\u200bn\u00adn', '\u202aann\u202c\ufeff'],
  ])('ignores case and form of %s [IMPORT-EMAILS-1]', (_, a, b) => expect(isSame(a, b)).toBe(true));

  it.each([
    ['sharp s and ss', '\u00df', 'ss'],
    ['a ligature and its letters', '\ufb01', 'fi'],
    ['i without a dot and i', '\u0131', 'i'],
    ['capital i with a dot and i', '\u0130', 'i'],
    ['full-width letters and ASCII', '\uff41', 'a'],
    ['a plus tag and none', 'a+b', 'a'],
  ])('keeps %s apart [IMPORT-EMAILS-1]', (_, a, b) => expect(isSame(a, b)).toBe(false));

  it('maps two letters to one key exactly when case-insensitive regular expressions of JavaScript match them [IMPORT-EMAILS-1]', () => {
    const differing: string[] = [];
    for (const code of codePoints) {
      const letter = String.fromCodePoint(code);
      if (letter.normalize('NFC') !== letter || letter.trim() === '') continue;
      const key = emailKey(letter);
      const others = [letter.toLowerCase(), letter.toUpperCase(), key].filter(
        (other) => other !== letter && other.normalize('NFC') === other && Array.from(other).length === 1,
      );
      if (others.length === 0) continue;
      const ignoringCase = new RegExp(`^\\u{${code.toString(16)}}$`, 'iu');
      if (others.some((other) => ignoringCase.test(other) !== (emailKey(other) === key))) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
  });

  it.each([
    ['Unicode and ASCII', 'bücher.example', 'xn--bcher-kva.example'],
    ['case', 'BÜCHER.Example', 'XN--BCHER-KVA.example'],
    ['normal forms', 'bu\u0308cher.example', 'b\u00fccher.example'],
    ['width', 'ｂücher．example', 'bücher.example'],
    ['full stops', 'bücher\u3002example', 'bücher.example'],
    ['a ligature and its letters', 'o\ufb03ce.example', 'office.example'],
    ['format characters', 'bü\u200bcher.ex\u00adample', 'bücher.example'],
    ['variation selectors', '\u2764\ufe0f.example', '\u2764.example'],
  ])('ignores %s in domains [IMPORT-EMAILS-1]', (_, a, b) => expect(emailKey(`ann@${a}`)).toBe(emailKey(`ann@${b}`)));

  it.each([
    ['sharp s and ss', 'straße.example', 'strasse.example'],
    ['final sigma and sigma', 'βόλος.example', 'βόλοσ.example'],
    ['letters that look alike', 'аnn.example', 'ann.example'],
  ])('keeps %s in domains apart [IMPORT-EMAILS-1]', (_, a, b) => expect(emailKey(`ann@${a}`)).not.toBe(emailKey(`ann@${b}`)));

  it('gives every domain that exists its ASCII form [IMPORT-EMAILS-1]', () => {
    const differing: string[] = [];
    for (const code of codePoints.slice(0x80)) {
      const domain = `a${String.fromCodePoint(code)}b.example`;
      const expected = domainToASCII(domain);
      if (expected !== '' && asciiDomain(domain) !== expected) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
    const label = fc.string({ unit: fc.constantFrom(...Array.from('abzüßçñéλσς漢字中文рк-')), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(label, (name) => {
        const expected = domainToASCII(`${name}.example`);
        fc.pre(expected !== '');
        expect(asciiDomain(`${name}.example`)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (email) => {
        expect(emailKey(emailKey(email))).toBe(emailKey(email));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('isMailbox', () => {
  it.each(['ann@x.io', 'a.b+c@sub.example.com', "o'hara@x.io", 'ann@localhost', 'zoë@bücher.example'])('accepts %j', (email) =>
    expect(isMailbox(email)).toBe(true),
  );
  it.each([
    '',
    'not-an-email',
    'boss@red.example, attacker@evil.example',
    'boss@red.example,attacker@evil.example',
    'boss@red.example;attacker@evil.example',
    'group: a@x.io, b@x.io;',
    'Ann <ann@x.io>',
    '<ann@x.io>',
    '"a b"@x.io',
    'ann@x.io\r\nBcc: b@x.io',
    'ann@x.io\u0000',
    'a\u200bnn@x.io',
    'ann@x@y.io',
    'ann@x..io',
    'ann@(comment)x.io',
    `${'a'.repeat(65)}@x.io`,
    `ann@${'a.'.repeat(130)}io`,
    `ann@${'a'.repeat(64)}.io`,
    `${'ß'.repeat(33)}@x.io`,
    'mailto:ute@x.io',
    '\u202aotto@x.io\u202c',
    'ann@x.io\u200e',
    'ann@x\u00ad.io',
    'ann@exa!mple.io',
    'ann@-x.io',
    'ann@x.io.',
  ])('rejects %j', (email) => expect(isMailbox(email)).toBe(false));
});

describe('isUsualEmail', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'ann',
      'x.io',
      '@',
      '.',
      'bücher',
      'xn--bcher-kva',
      'mailto:',
      ' ',
      '\u200b',
      '\u202e',
      '<',
      '>',
      '"',
      ',',
      '%0a',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
  );

  it('is true only for what can be mailed, to the same address [IMPORT-EMAILS-7]', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 7 }), (pieces) => {
        const email = pieces.join('');
        if (!isUsualEmail(email)) return;
        expect(isMailbox(email)).toBe(true);
        expect(emailKey(mailboxOf(email))).toBe(emailKey(email));
        expect(mailboxOf(email)).toMatch(/^[^\s@<>,;:"()]+@[a-z0-9_.-]+$/);
      }),
      { numRuns: 20_000 },
    );
  });

  it.each(['not-an-email', 'ann@localhost', 'mailto:ute@x.io', '\u202aotto@x.io\u202c', 'ann\u200b@x.io', 'a b@x.io'])(
    'is false for %j [IMPORT-EMAILS-7]',
    (email) => expect(isUsualEmail(email)).toBe(false),
  );
});

import type { AnswerToMask, Masker, Span } from './masker.ts';

/** Finds everything in this process, with lists and rules that come with it. */
export const embeddedMasker: Masker = {
  version: 'embedded-0',
  find: (answer) => Promise.resolve(findSpans(answer)),
};

const EMAIL = /(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu;

function findSpans({ text, categories }: AnswerToMask): Span[] {
  if (!categories.has('email') || !text.includes('@')) return [];
  return Array.from(text.matchAll(EMAIL), ({ 0: value, index }) => ({
    start: index,
    end: index + value.length,
    category: 'email',
    source: 'email',
    confidence: 1,
  }));
}

import { KIND, OTHER } from './letters.ts';
import type { Span } from './masker.ts';

/**
 * Sorts spans and resolves overlaps. Spans are given in order of confidence: of two that overlap,
 * the first is kept whole and the other keeps what is left of it, so that every part of a value is
 * masked.
 */
export function withoutOverlaps(spans: readonly Span[], text: string): Span[] {
  const taken = new Uint8Array(text.length);
  const disjoint: Span[] = [];
  for (const span of spans) {
    let start = span.start;
    for (let at = span.start; at <= span.end; at++) {
      if (at < span.end && taken[at] === 0) continue;
      if (hasContent(text, start, at)) disjoint.push({ ...span, start, end: at });
      start = at + 1;
    }
    taken.fill(1, span.start, span.end);
  }
  return disjoint.sort((one, other) => one.start - other.start);
}

function hasContent(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const kind = KIND[text.charCodeAt(at)];
    if (kind !== OTHER) return true;
  }
  return false;
}

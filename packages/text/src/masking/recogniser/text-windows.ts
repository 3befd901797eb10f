import type { Piece, WordPieces } from './word-pieces.ts';

/** Pieces that the model reads at once. It was trained on short texts. */
export const MAX_PIECES = 128;
const OVERLAP = 32;
// Sentences with fewer pieces are read together with the next one, so that many of them do not cost
// a call of the model each.
const MIN_PIECES = 16;

// The end of a sentence. A dot after a short word may belong to Dr. or to an initial.
const SENTENCE_END = /(?:[!?…]|(?<=\p{L}{4})\.)["'”’)\]]{0,2}\s|[。！？\n]/gu;

/**
 * Divides a text into windows for the model. A text that fits in one is not divided. Otherwise the
 * windows are sentences: what the model finds in one depends neither on what comes before it nor on
 * where a window ends. Only a sentence that is longer than a window is read in several, which
 * overlap. Holds one window in memory.
 */
export function* windowsOf(text: string, pieces: WordPieces): Generator<readonly Piece[]> {
  const whole = wholeOf(text, pieces);
  if (whole !== undefined) {
    if (whole.length > 0) yield whole;
    return;
  }
  let window: Piece[] = [];
  for (const { start, end } of sentencesOf(text)) {
    for (const piece of pieces.split(text.slice(start, end), start)) {
      if (window.length === MAX_PIECES) {
        yield window;
        window = overlapOf(window);
      }
      window.push(piece);
    }
    if (window.length >= MIN_PIECES) {
      yield window;
      window = [];
    }
  }
  if (window.length > 0) yield window;
}

// All pieces, or undefined when they exceed a window.
function wholeOf(text: string, pieces: WordPieces): readonly Piece[] | undefined {
  const whole: Piece[] = [];
  for (const piece of pieces.split(text)) {
    if (whole.length === MAX_PIECES) return undefined;
    whole.push(piece);
  }
  return whole;
}

function* sentencesOf(text: string): Generator<{ readonly start: number; readonly end: number }> {
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(SENTENCE_END)) {
    yield { start, end: index + mark.length };
    start = index + mark.length;
  }
  if (start < text.length) yield { start, end: text.length };
}

// The last pieces of a window, from the beginning of a word.
function overlapOf(window: readonly Piece[]): Piece[] {
  const from = window.findLastIndex(({ opensWord }, at) => opensWord && at <= window.length - OVERLAP);
  return window.slice(Math.max(from, 1));
}

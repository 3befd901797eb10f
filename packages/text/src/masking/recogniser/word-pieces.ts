/** Part of a word that the model has a number for. */
export interface Piece {
  readonly id: number;
  // Offsets in the text as UTF-16 code units, end exclusive.
  readonly start: number;
  readonly end: number;
  // Whether the piece is the first of its word.
  readonly opensWord: boolean;
}

const MAX_WORD = 100;
// A word of its own: punctuation, symbols, and each character of scripts without spaces.
const SINGLE = /[\p{P}\p{Script=Han}]|[$+<=>^`|~]/u;
const SPACE = /[\s\p{Cc}\p{Cf}]/u;

/** Splits texts into the pieces of a vocabulary, as BERT does. Linear. */
export class WordPieces {
  readonly opening: number;
  readonly closing: number;
  readonly #ids: ReadonlyMap<string, number>;
  readonly #unknown: number;
  readonly #isLowerCase: boolean;

  /** Reads a vocabulary with one piece per line, in the order of their numbers. */
  constructor(vocabulary: string, { isLowerCase = true } = {}) {
    this.#isLowerCase = isLowerCase;
    this.#ids = new Map(vocabulary.split('\n').map((piece, id) => [piece, id]));
    this.opening = this.#idOf('[CLS]');
    this.closing = this.#idOf('[SEP]');
    this.#unknown = this.#idOf('[UNK]');
  }

  /** Returns the pieces one by one; `offset` is added to their offsets. */
  *split(text: string, offset = 0): Generator<Piece> {
    let letters: Letter[] = [];
    let start = offset;
    for (const character of text) {
      const end = start + character.length;
      const isSingle = SINGLE.test(character);
      const isSpace = SPACE.test(character);
      if (isSingle || isSpace) {
        yield* this.#piecesOf(letters);
        letters = [];
      }
      if (!isSpace)
        for (const letter of this.#isLowerCase ? plain(character) : character) {
          // The word is unknown; only its end counts.
          if (letters.length > MAX_WORD) letters.pop();
          letters.push({ letter, start, end });
        }
      if (isSingle) {
        yield* this.#piecesOf(letters);
        letters = [];
      }
      start = end;
    }
    yield* this.#piecesOf(letters);
  }

  #piecesOf(letters: readonly Letter[]): Piece[] {
    if (letters.length === 0) return [];
    const whole = { id: this.#unknown, start: letters[0]?.start ?? 0, end: letters.at(-1)?.end ?? 0, opensWord: true };
    if (letters.length > MAX_WORD) return [whole];
    const pieces: Piece[] = [];
    for (let from = 0; from < letters.length;) {
      const piece = this.#longestPiece(letters, from);
      if (piece === undefined) return [whole];
      const { id, to } = piece;
      pieces.push({ id, start: letters[from]?.start ?? 0, end: letters[to - 1]?.end ?? 0, opensWord: from === 0 });
      from = to;
    }
    return pieces;
  }

  #longestPiece(letters: readonly Letter[], from: number): { id: number; to: number } | undefined {
    let piece =
      (from === 0 ? '' : '##') +
      letters
        .slice(from)
        .map(({ letter }) => letter)
        .join('');
    for (let to = letters.length; to > from; to--) {
      const id = this.#ids.get(piece);
      if (id !== undefined) return { id, to };
      piece = piece.slice(0, -(letters[to - 1]?.letter.length ?? 1));
    }
    return undefined;
  }

  #idOf(piece: string): number {
    const id = this.#ids.get(piece);
    if (id === undefined) throw new Error(`cannot read the vocabulary: ${piece} is missing`);
    return id;
  }
}

interface Letter {
  readonly letter: string;
  readonly start: number;
  readonly end: number;
}

// Lower case without accents. One character can become several letters, or none.
const plain = (character: string): string =>
  character
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();

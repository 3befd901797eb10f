/**
 * Returns the UTF-16 offset of each code point and of the text's end. Converts Python's offsets to
 * those of JavaScript.
 */
export function codePointOffsets(text: string): Uint32Array {
  const offsets = new Uint32Array(text.length + 1);
  let points = 0;
  let at = 0;
  for (const character of text) {
    offsets[points++] = at;
    at += character.length;
  }
  offsets[points] = at;
  return offsets.subarray(0, points + 1);
}

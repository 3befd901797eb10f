/** The UTF-16 offset of each code point of a text, and its length behind the last: what Python counts, in what JavaScript counts. */
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

/** Returns the bucket of a text: FNV-1a, the same on every machine. `buckets` is a power of two. */
export function hash(text: string, buckets: number): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  // FNV's low bits depend only on the low bits of the text.
  return ((state >>> 0) ^ (state >>> 15)) & (buckets - 1);
}

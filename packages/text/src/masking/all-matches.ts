/**
 * Returns all matches of a pattern with the flag `g`, which must not match an empty text. Hot path:
 * `matchAll` would make a copy of the pattern for every text, which takes longer than most searches
 * when its source is a list of words.
 */
export function allMatches(text: string, pattern: RegExp): RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) matches.push(match);
  return matches;
}

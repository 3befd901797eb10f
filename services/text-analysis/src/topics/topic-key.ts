/**
 * A topic's name as it is compared (rule TEXTS-TOPICS-3): without case and nothing else. Through lower and upper
 * case, so that letters with several forms of either are one: ß, ẞ and ss.
 */
export function topicKey(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}

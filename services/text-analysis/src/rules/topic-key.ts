/**
 * Returns a topic's name for comparisons (rule TEXTS-TOPICS-3), which ignore only case. Converted
 * to lower and then upper case, so that letters with several case forms are equal: ß, ẞ and ss.
 */
export function topicKey(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}

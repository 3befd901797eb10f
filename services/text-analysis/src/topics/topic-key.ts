/**
 * A topic's name as it is compared (interface.md "GET /v1/text_responses", rule 12; ruling Z20): without case and nothing else. Through lower and upper
 * case, so that letters with several forms of either are one: ß, ẞ and ss.
 */
export function topicKey(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}

/**
 * A topic's name as it is compared (interface.md "GET /v1/text_responses", rule 12; ruling Z20): without case and nothing else. Upper case first,
 * so that letters with several lower-case forms are one.
 */
export function topicKey(name: string): string {
  return name.toUpperCase().toLowerCase();
}

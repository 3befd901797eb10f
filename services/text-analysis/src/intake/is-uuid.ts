const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Checks for a UUID of any variant, in any case (rule TEXTS-SCOPE-3). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

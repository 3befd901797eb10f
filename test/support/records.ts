/**
 * Returns an input record of POST /v1/employees/imports with all required fields, plus overrides.
 */
export function R(n: number, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { import_id: `E${n}`, email: `e${n}@x.io`, firstname: `F${n}`, lastname: `L${n}`, ...more };
}

/** Returns records with consecutive import_ids, `E1` to `E3` for 1 and 3. */
export function records(from: number, to: number): Record<string, unknown>[] {
  return Array.from({ length: to - from + 1 }, (_, index) => R(from + index));
}

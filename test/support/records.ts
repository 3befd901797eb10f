/** An input record of POST /v1/employees/imports with the fields that every record needs, with what a test adds or overrides. */
export function R(n: number, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { import_id: `E${n}`, email: `e${n}@x.io`, firstname: `F${n}`, lastname: `L${n}`, ...more };
}

/** R(from) … R(to). */
export function records(from: number, to: number): Record<string, unknown>[] {
  return Array.from({ length: to - from + 1 }, (_, index) => R(from + index));
}

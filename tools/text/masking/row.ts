export interface Row {
  readonly name: string;
  readonly goal: string;
  readonly figure: string;
}

export const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} (of ${whole})`;

export type Query = Readonly<Record<string, unknown>>;

type Check = (value: unknown) => string | undefined;

const isId = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
const id: Check = (value) => (isId(value) ? String(value) : undefined);
const ids: Check = (value) => (Array.isArray(value) && value.every(isId) ? value.join(',') : undefined);
const flag: Check = (value) => (typeof value === 'boolean' ? String(value) : undefined);
const size: Check = (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? String(value) : undefined);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes(',');
const text: Check = (value) => (isText(value) ? value : undefined);
const texts: Check = (value) => (Array.isArray(value) && value.every(isText) ? value.join(',') : undefined);

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;
// Text is sent as it is, because a Date has no microseconds.
const instant: Check = (value) => {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  return typeof value === 'string' && RFC_3339.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
};

const ID = [id, 'a positive integer'] as const;
const IDS = [ids, 'an array of positive integers'] as const;
const FLAG = [flag, 'true or false'] as const;
const SIZE = [size, 'an integer from 0'] as const;
const INSTANT = [instant, 'a Date, or text such as 2026-01-31T09:00:00Z with seconds and an offset'] as const;

/** Every query and path parameter of the API, and what it must be. */
export const PARAMETERS: Readonly<Record<string, readonly [check: Check, needs: string]>> = {
  attribute_id: ID,
  attribute_option_ids: IDS,
  created_after: INSTANT,
  is_archived: FLAG,
  limit: SIZE,
  offset: SIZE,
  participation: FLAG,
  period_from: INSTANT,
  period_to: INSTANT,
  question_ids: IDS,
  status: [text, 'one text'],
  survey_cycle_ids: [texts, 'an array of texts'],
  survey_id: ID,
  survey_ids: IDS,
};

/**
 * Returns the parameters of a request as text. Checks them, because `'12'` in place of `[12]`, say,
 * would be sent as `1,2`.
 * @throws TypeError that names the parameter
 */
export function checkedQuery(query: Query): Record<string, string> {
  const present = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, checkedParameter(name, value)]));
}

export function checkedParameter(name: string, value: unknown): string {
  const [check, needs] = PARAMETERS[name] ?? [undefined, 'left out: this version of the client does not know it'];
  const checked = check?.(value);
  if (checked === undefined) throw new TypeError(`${name} must be ${needs}`);
  return checked;
}

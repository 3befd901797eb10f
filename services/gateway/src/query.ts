import { z } from 'zod';
import { Problem, type FieldError } from './problem.ts';

const MAX_NAME_SHOWN = 60;
const MAX_LISTED = 100;

/**
 * A reader of an endpoint's query parameters. Parameters are matched as strings, each at most once; one that the endpoint does not know is
 * refused, because ignoring it could answer for the wrong population (rule ERRORS-QUERY-1). Throws a 400 that names every parameter at fault.
 */
export function strictQuery<S extends z.ZodRawShape>(shape: S): (url: string) => z.output<z.ZodObject<S>> {
  const schema = z.object(shape);
  const known = Object.keys(shape);
  const knowledge = known.length === 0 ? 'this endpoint takes none' : `this endpoint takes ${known.join(', ')}`;
  return (url) => {
    const { values, faults } = splitQuery(url);
    for (const name of values.keys()) {
      if (!known.includes(name)) faults.push(fault(name, `is not a parameter of this endpoint: ${knowledge}`));
    }
    const result = schema.safeParse(Object.fromEntries([...values].filter(([name]) => known.includes(name))));
    // What came with a broken value has not come, but is not missing either.
    const broken = new Set(faults.map((one) => ('parameter' in one ? one.parameter : undefined)));
    for (const { path, message } of result.error?.issues ?? []) {
      const name = String(path[0]);
      if (!broken.has(name)) faults.push(fault(name, message));
    }
    if (faults.length > 0 || !result.success) throw invalidQuery(faults);
    return result.data;
  };
}

// node hands over the request target as it came. URLSearchParams would make U+FFFD of %FF, and let a stray % pass.
function splitQuery(url: string): { values: Map<string, string>; faults: FieldError[] } {
  const values = new Map<string, string>();
  const faults: FieldError[] = [];
  for (const pair of queryOf(url).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === undefined) faults.push(fault(pair, 'has a name that is not percent-encoded UTF-8'));
    else if (value === undefined) faults.push(fault(name, 'has a value that is not percent-encoded UTF-8'));
    else if (values.has(name)) faults.push(fault(name, 'is given more than once'));
    else values.set(name, value);
  }
  return { values, faults };
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

// As HTML forms encode: + is a space, and a plus sign is %2B.
function decode(text: string): string | undefined {
  if (/[^!-~]/.test(text)) return undefined;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function fault(name: string, detail: string): FieldError {
  return { parameter: name.length > MAX_NAME_SHOWN ? `${name.slice(0, MAX_NAME_SHOWN)}…` : name, detail };
}

function invalidQuery(faults: readonly FieldError[]): Problem {
  const named = faults.map((found) => ('parameter' in found ? `${found.parameter} ${found.detail}` : found.detail));
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return new Problem(400, `Query parameter ${named[0]}${more}.`, {
    errors: faults.slice(0, MAX_LISTED),
    errorsTotal: faults.length,
  });
}

import { z } from 'zod';
import { Problem, type FieldError } from '../http/problem.ts';

const MAX_NAME_SHOWN = 60;
const MAX_LISTED = 100;

/**
 * Builds the parser of an endpoint's query string. Parameters are strings, each at most once.
 * Unknown ones are rejected, because ignoring one could return the wrong population (rule
 * ERRORS-QUERY-1).
 * @throws 400 that names every invalid parameter.
 */
export function strictQuery<S extends z.ZodRawShape>(shape: S): (url: string) => z.output<z.ZodObject<S>> {
  const schema = z.object(shape);
  const names = Object.keys(shape);
  const knowledge = names.length === 0 ? 'this endpoint takes none' : `this endpoint takes ${names.join(', ')}`;
  return (url) => {
    const { values, faults } = splitQuery(url);
    for (const name of values.keys()) {
      if (!names.includes(name)) faults.push(fault(name, `is not a parameter of this endpoint: ${knowledge}`));
    }
    const result = schema.safeParse(Object.fromEntries([...values].filter(([name]) => names.includes(name))));
    // A parameter with an undecodable value is reported once, not also as missing.
    const broken = new Set(faults.map((one) => ('parameter' in one ? one.parameter : undefined)));
    for (const { path, message } of result.error?.issues ?? []) {
      const name = String(path[0]);
      if (!broken.has(name)) faults.push(fault(name, message));
    }
    if (faults.length > 0 || !result.success) throw invalidQuery(faults);
    return result.data;
  };
}

// node passes on the raw request target. URLSearchParams would turn %FF into U+FFFD and accept a
// stray %.
function splitQuery(url: string): { values: Map<string, string>; faults: FieldError[] } {
  const values = new Map<string, string>();
  const faults: FieldError[] = [];
  const [, query = ''] = /\?(.*)/s.exec(url) ?? [];
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [, rawName = '', rawValue = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const [name, value] = [decode(rawName), decode(rawValue)];
    if (name === undefined) faults.push(fault(rawName, 'has a name that is not percent-encoded UTF-8'));
    else if (value === undefined) faults.push(fault(name, 'has a value that is not percent-encoded UTF-8'));
    else if (values.has(name)) faults.push(fault(name, 'must appear only once'));
    else values.set(name, value);
  }
  return { values, faults };
}

// Form encoding: + is a space, and a plus sign is %2B.
function decode(text: string): string | undefined {
  if (/[^!-~]/.test(text)) return undefined;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function fault(name: string, detail: string): FieldError {
  // Characters, so that no surrogate is left alone.
  const characters = Array.from(name);
  return { parameter: characters.length > MAX_NAME_SHOWN ? `${characters.slice(0, MAX_NAME_SHOWN).join('')}…` : name, detail };
}

function invalidQuery(faults: readonly FieldError[]): Problem {
  const sentences = faults.map((fault) => ('parameter' in fault ? `${fault.parameter} ${fault.detail}` : fault.detail));
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return new Problem(400, `Query parameter ${sentences[0]}${more}.`, {
    errors: faults.slice(0, MAX_LISTED),
    errorsTotal: faults.length,
  });
}

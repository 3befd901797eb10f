// Compares what a release promises with what HEAD offers: the OpenAPI document, the AsyncAPI
// document and the commands of surveyctl. What a client of the release may send must still be
// accepted, and what it reads must still be there (docs/promises.md). Messages between services are
// compared by buf.

type Json = Readonly<Record<string, unknown>>;

/** Which way a schema's values travel decides what breaks a client. */
type Direction = 'request' | 'response';

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const objectAt = (value: unknown, ...path: readonly string[]): Json => {
  const found = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
  return isObject(found) ? found : {};
};
const listAt = (value: unknown, key: string): readonly unknown[] => {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};
const missing = (before: readonly unknown[], after: readonly unknown[]): unknown[] =>
  before.filter((each) => !after.includes(each));

/** Returns one line for each change of an OpenAPI document that breaks a client of the release. */
export function openApiIncompatibilities(released: unknown, current: unknown): string[] {
  const schemas = new SchemaComparison(released, current);
  return Object.entries(objectAt(released, 'paths')).flatMap(([path, methods]) =>
    Object.entries(objectAt(methods)).flatMap(([method, before]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const after = objectAt(current, 'paths', path, method);
      if (Object.keys(after).length === 0) return [`${name} is removed`];
      return [
        ...parameterFaults(name, before, after, schemas),
        ...bodyFaults(name, before, after, schemas),
        ...responseFaults(name, before, after, schemas),
      ];
    }),
  );
}

function parameterFaults(name: string, before: unknown, after: unknown, schemas: SchemaComparison): string[] {
  const keyOf = (parameter: unknown): string => `${String(objectAt(parameter)['in'])} ${String(objectAt(parameter)['name'])}`;
  const [former, now] = [before, after].map(
    (operation) => new Map(listAt(operation, 'parameters').map((one) => [keyOf(one), one])),
  );
  const faults: string[] = [];
  for (const [key, parameter] of former ?? []) {
    const kept = now?.get(key);
    if (kept === undefined) faults.push(`${name}: the parameter ${key} is removed`);
    else faults.push(...schemas.faults(`${name}: ${key}`, objectAt(parameter)['schema'], objectAt(kept)['schema'], 'request'));
  }
  for (const [key, parameter] of now ?? []) {
    const wasRequired = objectAt(former?.get(key))['required'] === true;
    if (objectAt(parameter)['required'] === true && !wasRequired) faults.push(`${name}: the parameter ${key} is newly required`);
  }
  return faults;
}

function bodyFaults(name: string, before: unknown, after: unknown, schemas: SchemaComparison): string[] {
  return Object.entries(objectAt(before, 'requestBody', 'content')).flatMap(([type, media]) => {
    const kept = objectAt(after, 'requestBody', 'content', type);
    if (Object.keys(kept).length === 0) return [`${name}: bodies of ${type} are no longer accepted`];
    return schemas.faults(`${name}: body`, objectAt(media)['schema'], kept['schema'], 'request');
  });
}

function responseFaults(name: string, before: unknown, after: unknown, schemas: SchemaComparison): string[] {
  return Object.entries(objectAt(before, 'responses')).flatMap(([status, response]) => {
    const kept = objectAt(after, 'responses', status);
    if (Object.keys(kept).length === 0) return [`${name}: the response ${status} is removed`];
    const headers = missing(Object.keys(objectAt(response, 'headers')), Object.keys(objectAt(kept, 'headers')));
    return [
      ...headers.map((header) => `${name}: ${status} has no ${String(header)} header any more`),
      ...Object.entries(objectAt(response, 'content')).flatMap(([type, media]) =>
        schemas.faults(`${name}: ${status}`, objectAt(media)['schema'], objectAt(kept, 'content', type)['schema'], 'response'),
      ),
    ];
  });
}

// Bounds that a request must keep, with what makes them narrower.
const NARROWER: Readonly<Record<string, (before: number, after: number) => boolean>> = {
  minimum: (before, after) => after > before,
  exclusiveMinimum: (before, after) => after > before,
  minLength: (before, after) => after > before,
  minItems: (before, after) => after > before,
  maximum: (before, after) => after < before,
  exclusiveMaximum: (before, after) => after < before,
  maxLength: (before, after) => after < before,
  maxItems: (before, after) => after < before,
};

/** Compares schemas that may refer to others of their documents. */
class SchemaComparison {
  readonly #released: unknown;
  readonly #current: unknown;
  // Recursive schemas are compared once.
  readonly #compared = new Set<string>();

  constructor(released: unknown, current: unknown) {
    this.#released = released;
    this.#current = current;
  }

  faults(at: string, beforeOrReference: unknown, afterOrReference: unknown, direction: Direction): string[] {
    const reference = objectAt(beforeOrReference)['$ref'];
    if (typeof reference === 'string') {
      const key = `${at} ${reference} ${direction}`;
      if (this.#compared.has(key)) return [];
      this.#compared.add(key);
    }
    const [before, after] = [resolve(this.#released, beforeOrReference), resolve(this.#current, afterOrReference)];
    return [
      ...typeFaults(at, before, after, direction),
      ...enumFaults(at, before, after, direction),
      ...(direction === 'request' ? boundFaults(at, before, after) : []),
      ...this.#propertyFaults(at, before, after, direction),
      ...('items' in before ? this.faults(`${at}[]`, before['items'], after['items'], direction) : []),
      ...this.#alternativeFaults(at, before, after, direction),
    ];
  }

  #propertyFaults(at: string, before: Json, after: Json, direction: Direction): string[] {
    const [former, now] = [objectAt(before, 'properties'), objectAt(after, 'properties')];
    const [wasRequired, isRequired] = [listAt(before, 'required'), listAt(after, 'required')];
    const faults = Object.entries(former).flatMap(([name, schema]) =>
      name in now ? this.faults(`${at}.${name}`, schema, now[name], direction) : [`${at}.${name} is removed`],
    );
    const optional = direction === 'response' ? missing(wasRequired, isRequired).filter((name) => String(name) in now) : [];
    const required = direction === 'request' ? missing(isRequired, wasRequired) : [];
    return [
      ...faults,
      ...optional.map((name) => `${at}.${String(name)} may be absent now`),
      ...required.map((name) => `${at}.${String(name)} is newly required`),
    ];
  }

  // The alternatives are a value and null, so those at the same place belong together.
  #alternativeFaults(at: string, before: Json, after: Json, direction: Direction): string[] {
    return ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
      listAt(before, keyword).flatMap((schema, index) => {
        const kept = listAt(after, keyword)[index];
        return kept === undefined && keyword !== 'allOf' && direction === 'request'
          ? [`${at} has lost an alternative`]
          : this.faults(at, schema, kept ?? {}, direction);
      }),
    );
  }
}

function resolve(document: unknown, schema: unknown): Json {
  const reference = objectAt(schema)['$ref'];
  if (typeof reference !== 'string') return objectAt(schema);
  return resolve(document, objectAt(document, ...reference.replace('#/', '').split('/')));
}

// A request may accept more types than before, a response may have fewer.
function typeFaults(at: string, before: Json, after: Json, direction: Direction): string[] {
  const [former, now] = [before['type'], after['type']].map((type) => (type === undefined ? [] : [type].flat()));
  const [given = [], accepted = []] = direction === 'request' ? [former, now] : [now, former];
  if (accepted.length === 0) return [];
  const allowed = accepted.includes('number') ? [...accepted, 'integer'] : accepted;
  if (given.length > 0 && missing(given, allowed).length === 0) return [];
  const inWords = (types: readonly unknown[] = []): string => types.map(String).join(' or ') || 'of any type';
  return [`${at} is ${inWords(now)}, was ${inWords(former)}`];
}

function enumFaults(at: string, before: Json, after: Json, direction: Direction): string[] {
  const [former, now] = [listAt(before, 'enum'), listAt(after, 'enum')];
  if (direction === 'request' && now.length > 0) {
    if (former.length === 0) return [`${at} accepts only ${now.join(', ')} now`];
    return missing(former, now).map((value) => `${at} no longer accepts ${String(value)}`);
  }
  if (direction === 'response' && former.length > 0) {
    if (now.length === 0) return [`${at} may be any value now`];
    return missing(now, former).map((value) => `${at} may be ${String(value)} now`);
  }
  return [];
}

function boundFaults(at: string, before: Json, after: Json): string[] {
  // Whether one pattern accepts all that another does, a person has to say.
  if (after['pattern'] !== undefined && after['pattern'] !== before['pattern'])
    return [`${at} has ${before['pattern'] === undefined ? 'a' : 'another'} pattern`];
  return Object.entries(NARROWER).flatMap(([keyword, isNarrower]) => {
    const [former, now] = [before[keyword], after[keyword]];
    // Numbers beyond it were never exact.
    if (typeof now !== 'number' || Math.abs(now) === Number.MAX_SAFE_INTEGER) return [];
    if (typeof former === 'number' && !isNarrower(former, now)) return [];
    return [`${at} has the ${keyword} ${now}, had ${typeof former === 'number' ? former : 'none'}`];
  });
}

/** Returns what breaks a consumer of the release's events: channels, messages and their fields. */
export function asyncApiIncompatibilities(released: unknown, current: unknown): string[] {
  const schemas = new SchemaComparison(released, current);
  const channelsOf = (document: unknown) =>
    new Map(Object.values(objectAt(document, 'channels')).map((channel) => [String(objectAt(channel)['address']), channel]));
  const now = channelsOf(current);
  return [...channelsOf(released)].flatMap(([address, channel]) => {
    const kept = now.get(address);
    if (kept === undefined) return [`the channel ${address} is removed`];
    const messagesOf = (document: unknown, of: unknown) =>
      new Map(
        Object.values(objectAt(of, 'messages')).map((message) => {
          const resolved = resolve(document, message);
          return [String(resolved['name']), resolved];
        }),
      );
    const messages = messagesOf(current, kept);
    return [...messagesOf(released, channel)].flatMap(([name, message]) => {
      const keptMessage = messages.get(name);
      if (keptMessage === undefined) return [`${address}: the message ${name} is removed`];
      return schemas.faults(`${address}: ${name}`, message['payload'], keptMessage['payload'], 'response');
    });
  });
}

/** What a script may use of surveyctl. The output of `--json` is messages, which buf compares. */
export interface CommandOutline {
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
  readonly options: Readonly<
    Record<string, { readonly required: boolean; readonly takesValue: boolean; readonly choices?: readonly string[] }>
  >;
}

/** Returns what breaks a script that calls commands of the release. */
export function commandIncompatibilities(
  released: Readonly<Record<string, CommandOutline>>,
  current: Readonly<Record<string, CommandOutline>>,
): string[] {
  return Object.entries(released).flatMap(([name, before]) => {
    const after = current[name];
    if (after === undefined) return [`surveyctl ${name} is removed`];
    const faults = Object.entries(before.options).flatMap(([flag, option]) => {
      const kept = after.options[flag];
      if (kept === undefined) return [`surveyctl ${name}: ${flag} is removed`];
      if (kept.takesValue !== option.takesValue)
        return [`surveyctl ${name}: ${flag} ${kept.takesValue ? 'takes' : 'has lost'} its value`];
      if (kept.choices === undefined) return [];
      if (option.choices === undefined) return [`surveyctl ${name}: ${flag} accepts only ${kept.choices.join(', ')} now`];
      return missing(option.choices, kept.choices).map(
        (choice) => `surveyctl ${name}: ${flag} no longer accepts ${String(choice)}`,
      );
    });
    const required = Object.entries(after.options)
      .filter(([flag, option]) => option.required && before.options[flag]?.required !== true)
      .map(([flag]) => `surveyctl ${name}: ${flag} is newly required`);
    const positional = after.arguments.flatMap((argument, index) =>
      argument.required && before.arguments[index]?.required !== true
        ? [`surveyctl ${name}: <${argument.name}> is newly required`]
        : [],
    );
    const dropped = before.arguments.length > after.arguments.length ? [`surveyctl ${name} takes fewer arguments`] : [];
    return [...faults, ...required, ...positional, ...dropped];
  });
}

import { z } from 'zod';

/** Environment schemas by service. */
type Environments = ReadonlyMap<string, z.ZodRawShape>;
/** Values of the chart by service, as its values.yaml has them under `settings`. */
export type ChartSettings = Readonly<Record<string, Readonly<Record<string, string>>>>;

// The same as without TRACES, for traces only.
const TRACES_ONLY = /^OTEL_EXPORTER_OTLP_TRACES_(?!ENDPOINT)/;

/**
 * Returns a table of the variables that all services read, and one for each service with the
 * others.
 * @throws when a variable has no description
 */
export function settingsTables(environments: Environments, inChart: ChartSettings): string {
  const [first, ...others] = [...environments.values()];
  const isShared = (name: string): boolean => others.every((shape) => name in shape);
  const shared = Object.entries(first ?? {}).filter(([name]) => isShared(name));
  const own = [...environments].map(([service, shape]) => {
    const variables = Object.entries(shape).filter(([name]) => !isShared(name));
    return section(service, variables, inChart[service]);
  });
  return [section('All services', shared), ...own].join('\n');
}

function section(
  heading: string,
  variables: [string, z.core.$ZodType][],
  inChart: Readonly<Record<string, string>> = {},
): string {
  const rows = variables
    .filter(([name]) => !TRACES_ONLY.test(name))
    .map(([name, schema]) => {
      const { description } = z.globalRegistry.get(schema) ?? {};
      if (description === undefined) throw new Error(`${name} of ${heading} has no description: add .describe() in config.ts`);
      const byDefault = defaultOf(schema);
      const chart = inChart[camelCase(name)];
      const standard = chart === undefined || chart === byDefault ? byDefault : `${byDefault}; chart ${chart}`;
      return `| \`${name}\` | ${standard} | ${allowedIn(schema)} | ${description} |`;
    });
  return [`## ${heading}`, '', '| Variable | Default | Allowed | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function defaultOf(schema: z.core.$ZodType): string {
  const { success, data } = z.safeParse(schema, undefined);
  if (!success) return 'required';
  return data === undefined ? 'none' : z.coerce.string().parse(data);
}

function allowedIn(schema: z.core.$ZodType): string {
  const {
    enum: names,
    const: name,
    format,
    minimum,
    exclusiveMinimum,
    maximum,
    ...rest
  } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  if (name !== undefined) return `\`${String(name)}\``;
  if (names !== undefined) return names.map((each) => `\`${String(each)}\``).join(', ');
  if (format === 'uri') return 'URL';
  const highest = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum !== undefined && highest !== undefined) return `${minimum} to ${highest}`;
  if (minimum !== undefined) return `${minimum} or more`;
  if (exclusiveMinimum !== undefined) return highest === undefined ? 'above 0' : `above 0, up to ${highest}`;
  return rest.type === 'boolean' ? '`true`, `false`' : 'text';
}

function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
}

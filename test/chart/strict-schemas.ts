import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { nameOf, type Manifest } from '../support/chart/manifest.ts';

type Schema = { [key: string]: unknown };

const FOLDER = new URL('schemas/', import.meta.url);
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Returns a check as strict as `kubectl apply --validate=strict`: unknown fields are faults. */
export function strictSchemas(version: string): (manifest: Manifest) => string[] {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const { definitions } = read(`kubernetes-${version}.json`) as { definitions: Record<string, Schema> };
  Object.entries(definitions).forEach(([name, definition]) => close(name, definition));
  ajv.addSchema({ $id: 'kubernetes', definitions });
  const validators = new Map<string, ValidateFunction>();
  for (const [name, definition] of Object.entries(definitions))
    for (const { group, version, kind } of kindsOf(definition)) {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      validators.set(keyOf({ apiVersion, kind }), ajv.compile({ $ref: `kubernetes#/definitions/${name}` }));
    }
  for (const file of readdirSync(FOLDER).filter((file) => file.endsWith('.json') && !file.startsWith('kubernetes-'))) {
    const [group, kind, version] = file.replace('.json', '').split('_');
    validators.set(keyOf({ apiVersion: `${group}/${version}`, kind: kind ?? '' }), ajv.compile(ofOtherProject(read(file))));
  }
  return (manifest) => faults(manifest, validators);
}

function faults(manifest: Manifest, validators: ReadonlyMap<string, ValidateFunction>): string[] {
  const validate = validators.get(keyOf(manifest));
  if (validate === undefined) return [`${nameOf(manifest)}: no schema for ${manifest.apiVersion}`];
  if (validate(manifest)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${nameOf(manifest)}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function keyOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  return `${apiVersion} ${kind.toLowerCase()}`;
}

function read(file: string): Schema {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Schema;
}

function kindsOf(definition: Schema): { group: string; version: string; kind: string }[] {
  return (definition['x-kubernetes-group-version-kind'] ?? []) as { group: string; version: string; kind: string }[];
}

function close(name: string, definition: Schema): void {
  if (definition['properties'] !== undefined && definition['additionalProperties'] === undefined)
    definition['additionalProperties'] = false;
  // OpenAPI 2 declares both as plain strings.
  if (name.endsWith('.IntOrString')) Object.assign(definition, { type: ['integer', 'string'] });
  if (name.endsWith('.Quantity')) Object.assign(definition, { type: ['number', 'string'] });
}

// Rejects unknown fields only where a schema lists properties. Alternatives (anyOf, not) describe
// a part of an object and stay open.
function ofOtherProject(schema: Schema): Schema {
  const closed = closeAll(schema);
  const properties = closed['properties'] as Schema;
  return { ...closed, properties: { ...properties, metadata: { $ref: `kubernetes#/definitions/${META}` } } };
}

function closeAll(schema: Schema): Schema {
  const result: Schema = { ...schema };
  const { properties, items, additionalProperties } = schema;
  if (isSchema(properties)) {
    result['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, isSchema(property) ? closeAll(property) : property]),
    );
    if (additionalProperties === undefined && schema['x-kubernetes-preserve-unknown-fields'] !== true)
      result['additionalProperties'] = false;
  }
  if (isSchema(items)) result['items'] = closeAll(items);
  if (isSchema(additionalProperties)) result['additionalProperties'] = closeAll(additionalProperties);
  return result;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

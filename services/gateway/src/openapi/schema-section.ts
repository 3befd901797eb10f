import type { oas32 } from 'zod-openapi';

export interface Markup {
  readonly html: string;
}

type Value = string | Markup | readonly Markup[];

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Builds HTML from a template. Values are escaped unless they are markup. */
export function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { html: String.raw({ raw: strings }, ...values.map(htmlOf)) };
}

function htmlOf(value: Value): string {
  if (typeof value === 'string') return value.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
  return 'html' in value ? value.html : value.map((part) => part.html).join('');
}

/** Renders the subset of CommonMark that the descriptions use: paragraphs and `code`. */
export function paragraphs(text: string): Markup[] {
  return text.split('\n\n').map((paragraph) => markup`<p>${line(paragraph)}</p>\n`);
}

/** Renders one paragraph without its element. */
export function line(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`));
}

type Schema = oas32.SchemaObject | oas32.ReferenceObject;
type Keywords = Exclude<oas32.SchemaObject, boolean>;

/** Renders a named schema: its description, and one row for each property. */
export function schemaSection(name: string, schema: Schema): Markup {
  return markup`<section id="schema-${name}" class="plain" data-entry>
<h3><a class="anchor" href="#schema-${name}">${name}</a></h3>
<p>${line(descriptionOf(schema))}</p>
${propertyTable(schema)}</section>
`;
}

/**
 * Renders one row for each property of an object. Properties of unnamed nested objects follow with
 * their path.
 */
export function propertyTable(schema: Schema): Markup {
  // Responses contain all of their properties; only requests have optional ones.
  const isRequest = keywordsOf(schema).additionalProperties === false;
  return markup`<table>\n${propertiesOf(schema, '').map((property) => propertyRow(property, isRequest))}</table>\n`;
}

function propertyRow({ path, schema, isRequired }: Property, isRequest: boolean): Markup {
  const note = isRequest && isRequired ? ', required' : '';
  return markup`<tr><th scope="row"><code>${path}</code></th><td>${typeOf(schema)}${note}</td><td>${line(descriptionOf(schema))}</td></tr>\n`;
}

interface Property {
  path: string;
  schema: Schema;
  isRequired: boolean;
}

function propertiesOf(schema: Schema, before: string): Property[] {
  const { properties = {}, required: names = [] } = keywordsOf(schema);
  const required = new Set(names);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${before}${name}`;
    const described = { path, schema: property, isRequired: required.has(name) };
    return [described, ...propertiesOf(unnamedWithin(property), `${path}.`)];
  });
}

// Returns the unnamed object within a property, a list or a nullable type. Named schemas have
// sections of their own.
function unnamedWithin(schema: Schema): Schema {
  const { items, anyOf = [] } = keywordsOf(schema);
  return items ?? anyOf.find((option) => keywordsOf(option).properties !== undefined) ?? schema;
}

/**
 * Returns a type in words, such as "array of Employee" with a link, or "string or null, date-time".
 */
export function typeOf(schema: Schema): Markup {
  const keywords = keywordsOf(schema);
  const { $ref, anyOf, type = 'any', items } = keywords;
  if ($ref !== undefined) return link($ref.slice($ref.lastIndexOf('/') + 1));
  if (anyOf) return joinMarkup(anyOf.map(typeOf));
  const types = [type].flat().map((name) => (name === 'array' && items ? markup`array of ${typeOf(items)}` : markup`${name}`));
  return markup`${joinMarkup(types)}${constraints(keywords)}`;
}

const link = (name: string): Markup => markup`<a href="#schema-${name}">${name}</a>`;

/** Joins alternatives. */
export const joinMarkup = (parts: readonly Markup[]): Markup =>
  markup`${parts.flatMap((part, index) => (index === 0 ? [part] : [markup`${index === parts.length - 1 ? ' or ' : ', '}`, part]))}`;

function constraints({ format, enum: values, minimum, maximum, default: byDefault }: Keywords): Markup[] {
  const parts: (string | undefined)[] = [
    format,
    values && `one of ${values.join(', ')}`,
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : `${minimum ?? ''} to ${maximum}`,
    byDefault === undefined ? undefined : `default ${String(byDefault)}`,
  ];
  return parts.filter((part) => part !== undefined).map((part) => markup`, ${part}`);
}

// A nullable type is described by its other member.
function descriptionOf(schema: Schema): string {
  const { description, anyOf = [] } = keywordsOf(schema);
  return description ?? anyOf.map((option) => keywordsOf(option).description).find((text) => text !== undefined) ?? '';
}

// JSON Schema also allows `true` and `false`, which this document does not use.
function keywordsOf(schema: Schema): Keywords {
  return typeof schema === 'boolean' ? {} : schema;
}

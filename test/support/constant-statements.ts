import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { relative } from 'node:path';
import { parseAst } from 'vitest/node';

/** A statement as the sources declare it. */
export interface ConstantStatement {
  // Below the root of the repository.
  readonly file: string;
  // Of the constant or function around it.
  readonly name: string;
  readonly sql: string;
  // Whether it has bound names: some combinations of their values may be no statement.
  readonly isVariant: boolean;
}

const STATEMENT = /^\s*(?:with|select|insert into|update|delete from)\s/;
const ROOT = new URL('../..', import.meta.url).pathname;

/**
 * Finds the SQL statements in source files: strings and templates that begin like one. What a
 * template inserts must be a constant of this or an imported file, or be in `bindings`, which has
 * the possible values of parameters such as `schema`. Templates with other parts are returned as
 * `composed`: their text is known only when they run.
 */
export function findStatements(
  files: readonly string[],
  bindings: Readonly<Record<string, readonly string[]>> = {},
): { constant: ConstantStatement[]; composed: string[] } {
  // Constants that are parts of other statements.
  const inserted = new Set<string>();
  const found: { source: Source; name: string; node: Node }[] = [];
  for (const source of files.map(parse))
    visit(source.program, undefined, (node, name, parent) => {
      if (node.type === 'TemplateLiteral')
        for (const part of node.expressions ?? [])
          for (const inner of [part, part.consequent, part.alternate])
            if (inner?.name !== undefined) inserted.add(homeOf(inner.name, source));
      const isText = node.type === 'TemplateLiteral' || typeof node.value === 'string';
      if (isText && parent?.type !== 'TemplateLiteral' && STATEMENT.test(openingOf(node))) found.push({ source, name, node });
    });
  const constant: ConstantStatement[] = [];
  const composed: string[] = [];
  for (const { source, name, node } of found) {
    if (inserted.has(`${source.file} ${name}`)) continue;
    const place = { file: relative(ROOT, source.file), name };
    const texts = variantsOf(node, bindings).map((bound) => evaluate(node, source, bound));
    const known = texts.filter((text) => typeof text === 'string');
    if (known.length < texts.length) composed.push(`${place.file} ${name}`);
    for (const sql of known) constant.push({ ...place, sql, isVariant: texts.length > 1 });
  }
  return { constant, composed };
}

type Value = string | number | readonly Value[] | { readonly [key: string]: Value } | undefined;

// Fields of the ESTree nodes that occur in constants.
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
  readonly expressions?: readonly Node[];
  readonly elements?: readonly Node[];
  readonly properties?: readonly { readonly key?: Node; readonly value?: Node }[];
  readonly object?: Node;
  readonly property?: Node;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly left?: Node;
  readonly right?: Node;
  readonly consequent?: Node;
  readonly alternate?: Node;
  readonly params?: readonly Node[];
  readonly body?: Node | readonly Node[];
  readonly argument?: Node;
}

interface Source {
  readonly file: string;
  readonly program: Node;
  readonly constants: ReadonlyMap<string, Node>;
  // File and name of what is imported.
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
}

const sources = new Map<string, Source>();

function parse(file: string): Source {
  const cached = sources.get(file);
  if (cached !== undefined) return cached;
  const program = parseAst(stripTypeScriptTypes(readFileSync(file, 'utf8'))) as unknown as Node & { body: Statement[] };
  const constants = new Map<string, Node>();
  const imports = new Map<string, { from: string; name: string }>();
  for (const statement of program.body) {
    const declared = statement.declaration ?? statement;
    const { declarations = [] } = declared;
    if (declared.type === 'FunctionDeclaration') constants.set(declared.id.name ?? '', declared);
    for (const { id, init } of declarations) if (id.name !== undefined && init) constants.set(id.name, init);
    if (statement.type !== 'ImportDeclaration') continue;
    const from = statement.source.value;
    for (const { local, imported } of statement.specifiers)
      if (imported?.name !== undefined) imports.set(local.name, { from, name: imported.name });
  }
  const source = { file, program, constants, imports };
  sources.set(file, source);
  return source;
}

interface Statement extends Node {
  readonly id: Node;
  readonly declarations?: readonly { readonly id: Node; readonly init: Node | null }[];
  readonly declaration?: Statement | null;
  readonly source: { readonly value: string };
  readonly specifiers: readonly { readonly local: { readonly name: string }; readonly imported?: Node }[];
}

function evaluate(node: Node | undefined, source: Source, bound: ReadonlyMap<string, string>): Value {
  if (node === undefined) return undefined;
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' || typeof node.value === 'number' ? node.value : undefined;
    case 'TemplateLiteral': {
      const parts = node.expressions?.map((part) => evaluate(part, source, bound)) ?? [];
      if (!parts.every((part) => typeof part === 'string' || typeof part === 'number')) return undefined;
      return node.quasis?.map(({ value }, index) => `${value.cooked}${parts[index] ?? ''}`).join('');
    }
    case 'BinaryExpression': {
      const [left, right] = [evaluate(node.left, source, bound), evaluate(node.right, source, bound)];
      return typeof left === 'number' && typeof right === 'number' ? left + right : undefined;
    }
    case 'Identifier':
      return bound.get(node.name ?? '') ?? constantOf(node.name ?? '', source, bound);
    case 'MemberExpression': {
      const object = evaluate(node.object, source, bound);
      return typeof object === 'object' && !Array.isArray(object)
        ? (object as Record<string, Value>)[node.property?.name ?? '']
        : undefined;
    }
    case 'ArrayExpression':
      return node.elements?.map((element) => evaluate(element, source, bound));
    case 'ObjectExpression':
      return Object.fromEntries(
        node.properties?.map(({ key, value }) => [key?.name ?? key?.value, evaluate(value, source, bound)]) ?? [],
      );
    case 'CallExpression': {
      if (node.callee?.name !== undefined) return call(node.callee.name, node.arguments ?? [], source, bound);
      const list = evaluate(node.callee?.object, source, bound);
      const separator = evaluate(node.arguments?.[0], source, bound) ?? ',';
      const isJoin = node.callee?.property?.name === 'join' && Array.isArray(list) && list.every((part) => part !== undefined);
      return isJoin && typeof separator === 'string' ? list.join(separator) : undefined;
    }
    default:
      return undefined;
  }
}

// Of a function that only returns an expression.
function call(name: string, given: readonly Node[], source: Source, bound: ReadonlyMap<string, string>): Value {
  const imported = source.imports.get(name);
  if (imported !== undefined && !isOurs(imported.from)) return undefined;
  const home = imported === undefined ? source : parse(createRequire(source.file).resolve(imported.from));
  const called = home.constants.get(imported?.name ?? name);
  const body = [called?.body].flat()[0];
  const result = body?.type === 'BlockStatement' ? [body.body].flat()[0]?.argument : body;
  const values = given.map((argument) => evaluate(argument, source, bound));
  const parameters = called?.params?.map(({ name, left }) => name ?? left?.name ?? '') ?? [];
  const inner = parameters.flatMap((parameter, index) =>
    typeof values[index] === 'string' ? [[parameter, values[index]] as const] : [],
  );
  return result && evaluate(result, home, new Map(inner));
}

function constantOf(name: string, source: Source, bound: ReadonlyMap<string, string>): Value {
  const constant = source.constants.get(name);
  if (constant !== undefined) return evaluate(constant, source, bound);
  const imported = source.imports.get(name);
  if (imported === undefined || !isOurs(imported.from)) return undefined;
  return constantOf(imported.name, parse(createRequire(source.file).resolve(imported.from)), bound);
}

// File and name of a constant.
function homeOf(name: string, source: Source): string {
  const imported = source.imports.get(name);
  if (imported === undefined || !isOurs(imported.from)) return `${source.file} ${name}`;
  return `${createRequire(source.file).resolve(imported.from)} ${imported.name}`;
}

const isOurs = (specifier: string): boolean => /^(?:\.|@survey\/)/.test(specifier);

// Every combination of the bound names that the template inserts.
function variantsOf(node: Node, bindings: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string>[] {
  const names = (node.expressions ?? []).flatMap(({ name }) => (name !== undefined && name in bindings ? [name] : []));
  return [...new Set(names)].reduce<Map<string, string>[]>(
    (variants, name) =>
      variants.flatMap((variant) => (bindings[name] ?? []).map((value) => new Map([...variant, [name, value]]))),
    [new Map()],
  );
}

function openingOf({ value, quasis }: Node): string {
  return typeof value === 'string' ? value : (quasis?.[0]?.value.cooked ?? '');
}

type Visit = (node: Node, name: string, parent: Node | undefined) => void;

// `name` is the nearest named function or constant around the node.
function visit(node: Node, parent: Node | undefined, each: Visit, name = ''): void {
  const { id, key } = node as { id?: Node | null; key?: Node };
  const inner = id?.name ?? (node.type === 'Property' ? [name, key?.name].filter(Boolean).join('.') : name);
  each(node, inner, parent);
  for (const child of Object.values(node).flat())
    if (typeof (child as Node | null)?.type === 'string') visit(child as Node, node, each, inner);
}

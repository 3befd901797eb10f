import { types } from '@survey/postgres/open-database.ts';
import { type ClientBase, types as pgTypes } from 'pg';
import ts from 'typescript-api';

// Compares the declared type of the rows of every `query<Row>(statement)` with what PostgreSQL
// describes for the statement, because the compiler believes any declaration. Statements are
// evaluated as far as they are constant; where a parameter stands for one of several strings, such
// as a schema, each is tried.

export interface DeclaredQuery {
  /** File and line. */
  readonly place: string;
  /** One for each string that a parameter can stand for; none if the statement is not constant. */
  readonly statements: readonly string[];
  readonly row: ReadonlyMap<string, RowValue>;
}

type RowValue = 'number' | 'string' | 'boolean' | 'date' | 'bytes' | 'array' | 'any';

const CHOICES = 5;

/** Finds the calls of `query` with a declared row type in these files. */
export function findDeclaredQueries(program: ts.Program, isChecked: (file: string) => boolean): DeclaredQuery[] {
  const checker = program.getTypeChecker();
  const found: DeclaredQuery[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const [declared] = node.typeArguments ?? [];
    const [statement] = node.arguments;
    if (node.expression.name.text !== 'query' || declared === undefined || statement === undefined) return;
    const type = checker.getTypeFromTypeNode(declared);
    // A generic helper: its callers declare the type.
    if ((type.flags & ts.TypeFlags.TypeParameter) !== 0 || type.getProperties().length === 0) return;
    const source = node.getSourceFile();
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const texts = Array.from({ length: CHOICES }, (_, choice) => new Evaluation(checker, choice).textOf(statement));
    // A statement may leave out what is optional.
    const required = type.getProperties().filter(({ flags }) => (flags & ts.SymbolFlags.Optional) === 0);
    const row = new Map(required.map((one) => [one.name, valueOf(checker, checker.getTypeOfSymbol(one))]));
    found.push({
      place: `${source.fileName}:${line}`,
      statements: [...new Set(texts.filter((text) => text !== undefined))],
      row,
    });
  };
  for (const file of program.getSourceFiles()) if (isChecked(file.fileName)) visit(file);
  return found;
}

function valueOf(checker: ts.TypeChecker, type: ts.Type): RowValue {
  const values = new Set(
    (type.isUnion() ? type.types : [type]).flatMap((one): RowValue[] => {
      if (one.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return [];
      if (one.flags & ts.TypeFlags.NumberLike) return ['number'];
      if (one.flags & ts.TypeFlags.StringLike) return ['string'];
      if (one.flags & ts.TypeFlags.BooleanLike) return ['boolean'];
      if (checker.isArrayType(one)) return ['array'];
      if (one.symbol?.name === 'Date') return ['date'];
      return [one.symbol?.name === 'Buffer' || one.symbol?.name === 'Uint8Array' ? 'bytes' : 'any'];
    }),
  );
  const [value = 'any'] = values;
  return values.size === 1 ? value : 'any';
}

class Evaluation {
  readonly #checker: ts.TypeChecker;
  // Which of several strings a parameter stands for.
  readonly #choice: number;
  readonly #arguments = new Map<ts.Symbol, string>();

  constructor(checker: ts.TypeChecker, choice: number) {
    this.#checker = checker;
    this.#choice = choice;
  }

  textOf(node: ts.Expression): string | undefined {
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
    if (ts.isTemplateExpression(node))
      return this.#joined([
        node.head.text,
        ...node.templateSpans.flatMap(({ expression, literal }) => [this.textOf(expression), literal.text]),
      ]);
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
      return this.#joined([this.textOf(node.left), this.textOf(node.right)]);
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
      return this.textOf(node.expression);
    if (ts.isConditionalExpression(node)) return this.textOf(this.#choice % 2 === 0 ? node.whenTrue : node.whenFalse);
    if (ts.isCallExpression(node)) return this.#returnedBy(node);
    return this.#declaredFor(node) ?? this.#literalOf(node);
  }

  #joined(parts: readonly (string | undefined)[]): string | undefined {
    return parts.includes(undefined) ? undefined : parts.join('');
  }

  #symbolOf(node: ts.Node): ts.Symbol | undefined {
    const symbol = this.#checker.getSymbolAtLocation(node);
    return symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #declaredFor(node: ts.Expression): string | undefined {
    const symbol = this.#symbolOf(ts.isPropertyAccessExpression(node) ? node.name : node);
    if (symbol === undefined) return undefined;
    const argument = this.#arguments.get(symbol);
    if (argument !== undefined) return argument;
    const { valueDeclaration: declaration } = symbol;
    if (declaration === undefined || !(ts.isVariableDeclaration(declaration) || ts.isPropertyAssignment(declaration)))
      return undefined;
    return declaration.initializer === undefined ? undefined : this.textOf(declaration.initializer);
  }

  #literalOf(node: ts.Expression): string | undefined {
    const type = this.#checker.getTypeAtLocation(node);
    const literals = (type.isUnion() ? type.types : [type]).filter((one) => one.isStringLiteral());
    return literals[this.#choice % Math.max(1, literals.length)]?.value;
  }

  #returnedBy(call: ts.CallExpression): string | undefined {
    const symbol = this.#symbolOf(ts.isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression);
    const declaration = symbol?.valueDeclaration;
    const made = declaration !== undefined && ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
    if (made === undefined || !(ts.isArrowFunction(made) || ts.isFunctionDeclaration(made)) || made.body === undefined)
      return undefined;
    for (const [at, { name }] of made.parameters.entries()) {
      const parameter = this.#symbolOf(name);
      const argument = call.arguments[at];
      const text = argument === undefined ? undefined : this.textOf(argument);
      if (parameter !== undefined && text !== undefined) this.#arguments.set(parameter, text);
    }
    if (!ts.isBlock(made.body)) return this.textOf(made.body);
    const returned = made.body.statements.find(ts.isReturnStatement)?.expression;
    return returned === undefined ? undefined : this.textOf(returned);
  }
}

interface Column {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Returns why no statement of a query has the declared row; undefined if one has. */
export async function faultOf(client: ClientBase, query: DeclaredQuery): Promise<string | undefined> {
  let fault: string | undefined;
  for (const statement of query.statements) {
    fault = await faultIn(client, query, statement).catch(String);
    if (fault === undefined) return undefined;
  }
  return fault;
}

async function faultIn(client: ClientBase, { row }: DeclaredQuery, statement: string): Promise<string | undefined> {
  const columns = new Map((await describe(client, statement)).map(({ name, dataTypeID }) => [name, dataTypeID]));
  for (const [name, declared] of row) {
    const oid = columns.get(name);
    if (oid === undefined) return `has no column ${name}`;
    const actual = parsedAs(oid);
    if (declared !== 'any' && actual !== 'any' && declared !== actual) return `${name} is ${actual}, and declared as ${declared}`;
  }
  return undefined;
}

const { BYTEA, JSON, JSONB }: Readonly<Record<string, number>> = pgTypes.builtins;

// What the driver makes of a value of the type.
function parsedAs(oid: number): RowValue {
  if (oid === BYTEA) return 'bytes';
  if (oid === JSON || oid === JSONB) return 'any';
  const parser: unknown = types.getTypeParser(oid, 'text');
  const parse = parser as (text: string) => unknown; // The declaration is that of another method.
  if (Array.isArray(tryParse(parse, '{}'))) return 'array';
  if (typeof tryParse(parse, '1') === 'number') return 'number';
  if (typeof tryParse(parse, 't') === 'boolean') return 'boolean';
  return tryParse(parse, '2026-05-04 10:00:00') instanceof Date ? 'date' : 'string';
}

function tryParse(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

interface ProtocolConnection {
  parse(statement: { text: string; name: string; types: number[] }, more: boolean): void;
  describe(what: { type: 'S'; name: string }, more: boolean): void;
  sync(): void;
}

/** Has PostgreSQL parse a statement and describe its result, without running it. */
function describe(client: ClientBase, text: string): Promise<Column[]> {
  return new Promise((resolve, reject) => {
    let columns: Column[] = [];
    // The driver's interface for statements of one's own, such as those of pg-copy-streams. It
    // calls nothing after an error.
    const described = {
      submit(connection: ProtocolConnection) {
        connection.parse({ text, name: '', types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription: ({ fields }: { fields: Column[] }) => {
        columns = fields;
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    };
    client.query(described as never);
  });
}

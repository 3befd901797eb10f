import type { AlterTableCmd, ColumnDef, Constraint, IndexStmt, Node, RangeVar } from '@pgsql/types';
import { parse } from 'libpg-query';

// Statements that do not affect older code. Statements listed neither here nor below are rejected:
// an engineer has to decide.
const HARMLESS = new Set([
  'CreateStmt',
  'CreateSchemaStmt',
  'CreateFunctionStmt',
  'CreatePolicyStmt',
  'CreateRoleStmt',
  'CreateSeqStmt',
  'CreateTableAsStmt',
  'ViewStmt',
  'CallStmt',
  'CommentStmt',
  'InsertStmt',
  'SelectStmt',
  'UpdateStmt',
  'VariableSetStmt',
]);

const HARMLESS_CHANGES = new Set([
  'AT_DropNotNull',
  'AT_SetStorage',
  'AT_SetStatistics',
  'AT_SetRelOptions',
  'AT_SetCompression',
]);

/**
 * Returns what in a migration would break the previous release's code, which still runs during a
 * rollout and after a rollback: one entry per fault. Empty for a migration that only expands: new
 * tables, optional columns, wider values. Uses PostgreSQL's own parser.
 */
export async function breaksOlderCode(sql: string): Promise<string[]> {
  const { stmts = [] } = await parse(sql);
  const statements = stmts.flatMap(({ stmt }) => stmt ?? []);
  // Older code does not use tables and functions that are new.
  const created = new Set(statements.flatMap(createdBy));
  return statements.flatMap((one) => faultsOf(one, created));
}

// First line of a contract migration: the oldest migration that code must know to work without the
// removed parts.
const CONTRACT = /^-- contract: (\d{4})\b/;
const RAISED = /update schema_support set oldest_code = (\d+);/;

/**
 * Returns the faults of an unreleased migration. One that breaks older code must declare it, remove
 * only what a release (of these numbers) no longer uses, and record that in the database
 * (CONTRIBUTING.md, "Migrations and messages").
 */
export async function migrationFaults(sql: string, released: readonly number[]): Promise<string[]> {
  const [, contract] = CONTRACT.exec(sql) ?? [];
  const [, raised] = RAISED.exec(sql) ?? [];
  if (contract === undefined) {
    return raised === undefined ? breaksOlderCode(sql) : ['it raises schema_support.oldest_code, but is not marked as contract'];
  }
  const oldest = Number(contract);
  const isDeclared = raised !== undefined && Number(raised) === oldest;
  return [
    ...(released.includes(oldest) ? [] : [`migration ${oldest} is not released: what it replaced is still in use`]),
    ...(isDeclared ? [] : [`it must say: update schema_support set oldest_code = ${oldest};`]),
  ];
}

function faultsOf(statement: Node, created: ReadonlySet<string>): string[] {
  if ('AlterTableStmt' in statement) {
    const { relation, cmds = [] } = statement.AlterTableStmt;
    if (created.has(nameOf(relation))) return [];
    return cmds
      .flatMap((one) => ('AlterTableCmd' in one ? changeFaults(one.AlterTableCmd) : []))
      .map((fault) => `${nameOf(relation)}: ${fault}`);
  }
  if ('IndexStmt' in statement) {
    return indexFaults(statement.IndexStmt, created);
  }
  if ('GrantStmt' in statement) {
    const { is_grant = false, objects = [] } = statement.GrantStmt;
    const isNew = objects.every((one) => 'ObjectWithArgs' in one && created.has(textOf(one.ObjectWithArgs.objname)));
    return is_grant || isNew ? [] : ['revoke takes away what older code may need'];
  }
  if ('CreateTrigStmt' in statement) {
    return created.has(nameOf(statement.CreateTrigStmt.relation)) ? [] : ['a trigger changes what older code writes'];
  }
  if ('DropStmt' in statement)
    return statement.DropStmt.removeType === 'OBJECT_INDEX' ? [] : ['drop takes away what older code may use'];
  if ('RenameStmt' in statement) return ['rename: older code knows the old name'];
  const [kind = ''] = Object.keys(statement);
  return HARMLESS.has(kind) ? [] : [`${kind} is not known to leave older code alone`];
}

function indexFaults({ unique = false, concurrent = false, relation }: IndexStmt, created: ReadonlySet<string>): string[] {
  const table = nameOf(relation);
  if (created.has(table)) return [];
  if (unique) return [`${table}: a unique index rejects what older code may write`];
  return concurrent ? [] : [`${table}: an index must be built concurrently: writers wait for any other`];
}

function changeFaults({ subtype = 'AT_AddColumn', name = '', def }: AlterTableCmd): string[] {
  if (HARMLESS_CHANGES.has(subtype)) return [];
  // PostgreSQL's names for a check and a reference: without them, more values are allowed. Only
  // text.block_answer also has rows deleted by its reference.
  if (subtype === 'AT_DropConstraint' && /_check$|^(?!block_answer_).*_fkey$/.test(name)) return [];
  if (subtype === 'AT_AddColumn')
    return def !== undefined && 'ColumnDef' in def ? columnFaults(def.ColumnDef) : ['a column that cannot be read'];
  // Without an expression it is `drop default`.
  if (subtype === 'AT_ColumnDefault' && def !== undefined) return [];
  return [`${subtype} ${name}`.trim()];
}

// Older code inserts without it.
function columnFaults({ colname = '', constraints = [] }: ColumnDef): string[] {
  const kinds = constraints.flatMap((one) => ('Constraint' in one ? one.Constraint.contype : []));
  const has = (...wanted: Constraint['contype'][]): boolean => kinds.some((kind) => wanted.includes(kind));
  const isFilled = has('CONSTR_DEFAULT');
  // A snapshot that is older than the rewrite sees no rows, so that readers miss all of them.
  const callsFunction = constraints.some((one) => 'Constraint' in one && 'FuncCall' in (one.Constraint.raw_expr ?? {}));
  if (callsFunction || has('CONSTR_IDENTITY', 'CONSTR_GENERATED'))
    return [`new column ${colname} makes PostgreSQL rewrite the table`];
  if (has('CONSTR_NOTNULL', 'CONSTR_PRIMARY') && !isFilled) return [`new column ${colname} is not null and has no default`];
  return has('CONSTR_UNIQUE', 'CONSTR_PRIMARY') && has('CONSTR_DEFAULT')
    ? [`new column ${colname} has one default and is unique`]
    : [];
}

function createdBy(statement: Node): string[] {
  if ('CreateStmt' in statement) return [nameOf(statement.CreateStmt.relation)];
  return 'CreateFunctionStmt' in statement && statement.CreateFunctionStmt.replace !== true
    ? [textOf(statement.CreateFunctionStmt.funcname)]
    : [];
}

function textOf(name: readonly Node[] = []): string {
  return name.map((part) => ('String' in part ? part.String.sval : '')).join('.');
}

function nameOf(relation: RangeVar | undefined): string {
  return [relation?.schemaname, relation?.relname].filter((part) => part !== undefined).join('.');
}

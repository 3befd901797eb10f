import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { glob } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

// Forms of statements that Citus rejects, or that reach every node, with the form to write instead
// (docs/adr/0027-citus-takes-the-same-statements.md).

interface Rule {
  readonly instead: string;
  readonly counterexample: string;
  readonly isBroken: (statement: string) => boolean;
}

const SCHEMAS = '(?:admin|imports|export|scoring|text|\\$\\{schema\\})';
// Read and written without an account: relays, sweeps, positions on the bus and the list of
// accounts.
const WITHOUT_ACCOUNT = new RegExp(`${SCHEMAS}\\.(due|outbox|account|bus_position|list_rendering)\\b`);

const RULES: Readonly<Record<string, Rule>> = {
  'insert … select without returning': {
    instead: 'returning 1',
    counterexample: 'insert into imports.mail (account_id, id) select account_id, id from t where account_id = $1',
    isBroken: (sql) => {
      const [insert] =
        new RegExp(`insert into ${SCHEMAS}\\.(?!due)\\w+(?: as \\w+)?\\s*\\([^)]*\\)\\s*select[^]*`).exec(sql) ?? [];
      return insert !== undefined && !/on conflict|returning/.test(insert);
    },
  },
  'a volatile function in update': {
    instead: 'statement_timestamp()',
    counterexample: 'update imports.import set finished_at = clock_timestamp() where account_id = $1',
    isBroken: (sql) => /\bupdate \w+\.\w+[^;]*\bset\b[^;]*(clock_timestamp|random|gen_random_uuid)\(/.test(sql),
  },
  'a function in do update set': {
    instead: 'excluded.<column> with a default',
    counterexample: 'insert into admin.identity (subject) values ($1) on conflict (subject) do update set seen_at = now()',
    isBroken: (sql) => /do update set[^;]*\bnow\(\)/.test(sql),
  },
  'a function in returning': {
    instead: 'with changed as (… returning <columns>) select',
    counterexample: 'insert into admin.account (name) values ($1) returning account_id, to_char(created_at)',
    isBroken: (sql) =>
      /\breturning\b[^;`]*(to_char|now|cardinality|\$\{utc)\(/.test(sql.replaceAll(/\)\s*(select|insert|,)[^]*/g, '')),
  },
  // Citus then runs neither the CTE nor the rest of the statement, without an error.
  'a condition without a column in a CTE that writes': {
    instead: 'another statement',
    counterexample:
      'with d as (delete from imports.payload where account_id = $1 and not $2) update imports.import set state = $3',
    isBroken: (sql) => /\(\s*(delete|update)\b[^)]*\b(where|and|or)\s+(not\s+)?\$\d+(::bool\w*)?\s*\)/.test(sql),
  },
  // Citus names the table in the statement for the worker, which knows it only by its shard. With
  // `on conflict`, it makes an alias itself.
  'a column without an alias in returning of insert … select': {
    instead: 'insert into … as o … returning o.<column>',
    counterexample:
      'insert into imports.offboarding (account_id, employee_id) select $1, id from imports.employee where account_id = $1 returning employee_id',
    isBroken: (sql) =>
      new RegExp(
        `^\\s*insert into ${SCHEMAS}\\.\\w+ \\([^)]*\\)\\s+select\\b(?:(?!\\bon conflict\\b)[^])*\\breturning (?!1\\b)`,
      ).test(sql),
  },
  // Citus adds a function of this name for bigint.
  'a parameter without type of pg_terminate_backend': {
    instead: '$1::integer',
    counterexample: 'select pg_terminate_backend($1)',
    isBroken: (sql) => /pg_(terminate|cancel)_backend\(\$\d+\)/.test(sql),
  },
  // Citus then copies the rows of the other CTE to every worker, also to one that is down.
  'a CTE that inserts from another CTE': {
    instead: 'insert into … with … select',
    counterexample:
      'with o as (select 1), saved as (insert into imports.record_result (account_id) select $1 from o returning 1) select',
    isBroken: (sql) => {
      const [, before = '', insert = ''] = new RegExp(`^([^]*)\\bas \\(\\s*insert into ${SCHEMAS}\\.([^]*)`).exec(sql) ?? [];
      const others = [...before.matchAll(/(\w+)(?: \([\w, ]+\))? as (?:materialized )?\(/g)].map(([, name]) => name);
      return others.some((name) => new RegExp(`\\b(from|join) ${name}\\b`).test(insert));
    },
  },
  'set local beside another statement': {
    instead: 'a statement of its own, or do',
    counterexample: 'begin; set local survey.account_id = 1',
    isBroken: (sql) =>
      /;\s*set local/.test(sql.replaceAll(/do '[^']*'/g, '')) && !/^\s*set local/.test(sql.replaceAll(/--.*/g, '')),
  },
  'a statement that names no account': {
    instead: 'account_id = $1',
    counterexample: 'select id from imports.employee where email = $1',
    isBroken: (sql) =>
      new RegExp(`\\b(from|join|into|update) ${SCHEMAS}\\.\\w+(?! *\\()\\b`).test(sql) &&
      !/account_id|accountId|of_account/.test(sql) &&
      !WITHOUT_ACCOUNT.test(sql),
  },
};

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SQL = /^\s*(with|select|insert|update|delete|begin|set local)\b/i;

interface Statement {
  readonly at: string;
  readonly sql: string;
}

describe('statements', async () => {
  const statements: Statement[] = [];
  for await (const file of glob('{services,packages}/*/src/**/*.ts', {
    cwd: ROOT,
    exclude: (name) => name.includes('node_modules'),
  }))
    if (!file.endsWith('.test.ts')) statements.push(...statementsIn(file));

  it('are found', () => {
    expect(statements.length).toBeGreaterThan(300);
  });

  it.each(Object.entries(RULES))('are found by their rule: %s', (_, { isBroken, counterexample }) => {
    expect(isBroken(counterexample)).toBe(true);
  });

  it.each(Object.entries(RULES))('have a form that Citus takes: %s', (_, { isBroken, instead }) => {
    const broken = statements.filter(({ sql }) => isBroken(sql)).map(({ at, sql }) => `${at}: ${sql.trim().slice(0, 120)}`);
    expect(broken, `write: ${instead}`).toEqual([]);
  });
});

// Template literals and strings that begin like a statement.
function statementsIn(file: string): Statement[] {
  const source = readFileSync(`${ROOT}/${file}`, 'utf8');
  return [...source.matchAll(/`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g)].flatMap((match) => {
    const sql = match[1] ?? match[2] ?? match[3] ?? '';
    const line = source.slice(0, match.index).split('\n').length;
    return SQL.test(sql) ? [{ at: `${file}:${line}`, sql }] : [];
  });
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { MIGRATIONS_FOLDER, migrationNames } from '@survey/postgres/schema-compatibility.ts';
import { breaksOlderCode, migrationFaults } from './expand-only.ts';

// SHA-256 of each released migration; each release adds its own (CONTRIBUTING.md, "Migrations").
const released = z
  .record(z.string(), z.string())
  .parse(JSON.parse(await readFile(new URL('../released-migrations.json', import.meta.url), 'utf8')));

const names = await migrationNames();
const textOf = (name: string): Promise<string> => readFile(join(MIGRATIONS_FOLDER, `${name}.sql`), 'utf8');
const numberOf = (name: string): number => Number.parseInt(name, 10);

describe('migrations', () => {
  it('are numbered without gaps', () => {
    expect(names.map(numberOf)).toEqual(names.map((_, index) => index + 1));
  });

  it('are unchanged since their release', async () => {
    const now = await Promise.all(
      Object.keys(released).map(async (name) => {
        const text = names.includes(name) ? await textOf(name) : '';
        return [name, createHash('sha256').update(text).digest('hex')];
      }),
    );
    expect(Object.fromEntries(now)).toEqual(released);
  });

  test.each(names.filter((name) => !(name in released)))("%s does not break the previous release's code", async (name) => {
    expect(await migrationFaults(await textOf(name), Object.keys(released).map(numberOf))).toEqual([]);
  });
});

describe('a migration that removes something', () => {
  const released = [1, 2, 3];

  it.each([
    '-- contract: 0003 because nothing reads it any more\nalter table a.t drop column b; update schema_support set oldest_code = 3;',
    'alter table a.t add column b text',
  ])('may: %s', async (sql) => {
    expect(await migrationFaults(sql, released)).toEqual([]);
  });

  it.each([
    ['that does not say so', 'alter table a.t drop column b'],
    ['that says so further down', 'select 1;\n-- contract: 0003\nalter table a.t drop column b'],
    ['that leaves older code alone with it', '-- contract: 0003\nalter table a.t drop column b'],
    ['that tells older code another number', '-- contract: 0003\ndrop table a.t; update schema_support set oldest_code = 2;'],
    ['that the newest release still uses', '-- contract: 0004\ndrop table a.t; update schema_support set oldest_code = 4;'],
    ['that shuts out older code for nothing', 'update schema_support set oldest_code = 3;'],
  ])('must not be one %s', async (_, sql) => {
    expect(await migrationFaults(sql, released)).toHaveLength(1);
  });
});

describe('finds what breaks older code', () => {
  test.each([
    'create table a.t (id int primary key, b text not null unique); alter table a.t enable row level security; create unique index on a.t (b)',
    'alter table a.t add column b text, add column c boolean not null default false',
    'alter table a.t alter column b drop not null, alter column b set default 3, alter column b set storage external',
    'alter table a.t drop constraint t_check, drop constraint t_b_fkey',
    'create index concurrently on a.t (b); drop index a.old; grant select on a.t to somebody',
    "create or replace function a.f() returns int language sql as 'select 1'; comment on table a.t is 'x'",
    "create function a.f() returns int language sql as 'select 1'; revoke execute on function a.f from public",
    "insert into a.t values (1); update a.t set b = 2; call isolate_accounts('a.t')",
  ])('nothing in: %s', async (sql) => {
    expect(await breaksOlderCode(sql)).toEqual([]);
  });

  test.each([
    'drop table a.t',
    'drop function a.f(int)',
    'drop policy p on a.t',
    'drop schema a',
    'drop view a.v',
    'alter table a.t drop column b',
    'alter table text.block_answer drop constraint block_answer_account_id_answer_fkey',
    'alter table a.t rename column b to c',
    'alter table a.t rename to u',
    'alter function a.f() rename to g',
    'alter table a.t alter column b set not null',
    'alter table a.t alter column b type bigint',
    'alter table a.t alter column b drop default',
    'alter table a.t add column b int not null',
    'alter table a.t add column b int primary key',
    'alter table a.t add column b bigint generated always as identity',
    'alter table a.t add column b uuid default gen_random_uuid()',
    'alter table a.t add column b text generated always as (md5(c)) stored',
    'alter table a.t add column b int not null default 0 unique',
    'alter table a.t add constraint c check (b > 1)',
    'alter table a.t add constraint c unique (b)',
    'alter table a.t add foreign key (b) references a.u',
    'alter table a.t enable row level security',
    'create index on a.t (b)',
    'create unique index concurrently on a.t (b)',
    'create trigger g before insert on a.t for each row execute function f()',
    'revoke select on a.t from somebody',
    "create or replace function a.f() returns int language sql as 'select 1'; revoke execute on function a.f from public",
    'truncate a.t',
    'delete from a.t',
    'do $$ begin end $$',
    'alter type a.e add value $$x$$',
  ])('one thing in: %s', async (sql) => {
    expect(await breaksOlderCode(`create table a.other (id int); ${sql}; select 1`)).toHaveLength(1);
  });
});

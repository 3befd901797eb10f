/**
 * SQL that replaces the version of a list, as a statement or as a part of one that writes. Every
 * transaction that changes rows of a list runs it, because clients with the version are told that
 * nothing has changed (lists/conditional-page.ts).
 * @param version parameter with a new random UUID, such as `$2`; `$1` is the account
 */
export const renewVersion = (list: string, version: string, condition = 'true'): string => `
insert into export.list_version as kept (account_id, list, version)
select $1::bigint, '${list}', ${version}::uuid where ${condition}
on conflict (account_id, list) do update set version = excluded.version`;

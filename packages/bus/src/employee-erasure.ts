import type { OwnedSchema } from '@survey/postgres/account-rows.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import type { AccountWork } from './account-work.ts';

/** An erased employee whose data a schema still holds. */
export interface Erasure {
  readonly accountId: number;
  readonly employeeId: number;
  /** Only for an employee of the import API. */
  readonly importId: string | null;
  readonly answers: 'anonymise' | 'delete';
}

/**
 * Erases employees from the service's own schema (rule DATA-ERASURE-1). `erase` is idempotent, and
 * returns the milliseconds until it must be called again, or undefined when nothing is left.
 */
export function employeeErasureWork(
  pool: Pool,
  schema: OwnedSchema,
  erase: (erasure: Erasure) => Promise<number | undefined>,
): AccountWork {
  return {
    kind: 'erase-employee',
    wokenBy: 'events.employee.erased',
    sweep: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from imports.accounts_to_erase($1) id', [schema]);
      return rows.map(({ id }) => id);
    },
    work: async (accountId) => {
      for (const erasure of await pendingErasures(pool, schema, accountId)) {
        const againInMs = await erase(erasure);
        if (againInMs !== undefined) return againInMs;
        await inAccount(pool, accountId, (tx) =>
          tx.query('select imports.end_erasure($1::bigint, $2::bigint, $3::text)', [accountId, erasure.employeeId, schema]),
        );
      }
      return undefined;
    },
  };
}

function pendingErasures(pool: Pool, schema: OwnedSchema, accountId: number): Promise<Erasure[]> {
  return inAccount(pool, accountId, async (tx) => {
    const { rows } = await tx.query<Erasure>(
      `select account_id as "accountId", employee_id as "employeeId", import_id as "importId", answers from imports.erased_employee
       where account_id = $1::bigint and finished_at is null and $2::text = any(pending_schemas)
         and (erased_at is not null or $2::text = 'imports')
       order by employee_id`,
      [accountId, schema],
    );
    return rows;
  });
}

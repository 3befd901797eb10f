import type { FactConsumer } from '@survey/bus/intake.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Assignment } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { lockAssignments, saveAssignments, type SavedAssignment } from '../sql/save-assignments.ts';
import { dropSuperseded, deferAssignments, type DeferredAssignment } from '../sql/deferred-assignments.ts';
import { findImported } from '../sql/find-imported.ts';
import { employeeKey, instant, optionalInstant, positiveId, InvalidFactError, type EmployeeKey } from './fields.ts';
import { newest, readFacts, type ReadFact } from './read-facts.ts';

export interface AssignmentFact {
  readonly id: number;
  readonly surveyId: number;
  readonly employee: EmployeeKey;
  readonly createdAt: string;
  readonly deletedAt: string | null;
}

/**
 * Writes assignments and their counts. Assignments of employees that no import has created yet are
 * deferred.
 */
export const applyAssignments: FactConsumer['apply'] = async (tx, accountId, facts) => {
  const { readable, rejected } = readFacts(facts, ({ assignment }) =>
    assignment == null ? undefined : readAssignment(assignment),
  );
  if (readable.length > 0) {
    await lockAssignments(tx, accountId);
    await writeAssignments(tx, accountId, readable);
  }
  return rejected;
};

export function readAssignment({ id, survey_id, employee, created_at, deleted_at }: Assignment): AssignmentFact {
  if (employee === null) throw new InvalidFactError('employee must name an employee by id or import_id');
  return {
    id: positiveId(id, 'id'),
    surveyId: positiveId(survey_id, 'survey_id'),
    employee: employeeKey(employee, 'employee'),
    createdAt: instant(created_at, 'created_at'),
    deletedAt: optionalInstant(deleted_at, 'deleted_at'),
  };
}

/**
 * Requires lockAssignments. Of several facts about one assignment, the newest whose employee exists
 * is applied.
 */
export async function writeAssignments(
  tx: Client,
  accountId: number,
  stated: readonly ReadFact<AssignmentFact>[],
): Promise<void> {
  const employeeIds = await findImported(tx, accountId, importIdsOf(stated));
  const known: SavedAssignment[] = [];
  const waiting: DeferredAssignment[] = [];
  for (const { row, version, fact, source, line } of stated) {
    const { id, importId } = row.employee;
    const employeeId = id ?? employeeIds.get(importId);
    if (employeeId !== undefined) known.push({ ...row, employeeId, version });
    else if (importId !== null) waiting.push({ id: row.id, employeeImportId: importId, version, fact, source, line });
  }
  await saveAssignments(
    tx,
    accountId,
    newest(known, ({ id }) => id),
  );
  await deferAssignments(
    tx,
    accountId,
    newest(waiting, ({ id, employeeImportId }) => `${id} ${employeeImportId}`),
  );
  await dropSuperseded(
    tx,
    accountId,
    stated.map(({ row }) => row.id),
  );
}

function importIdsOf(stated: readonly ReadFact<AssignmentFact>[]): string[] {
  return [...new Set(stated.flatMap(({ row }) => row.employee.importId ?? []))];
}

import type { AccountVisit, Reply } from '../visit.ts';
import { at } from '../views/parts.ts';
import { importUuid, isTyped, rejection, stepUpNeeded } from './common.ts';
import { getImport } from './import.ts';

export async function postAllow(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given } = visit;
  const { imports: t } = texts;
  const import_uuid = importUuid(visit);
  const { summary } = await visit.admin.showImport({ import_uuid, records_limit: 0 });
  const offboarded = summary?.would_offboard ?? 0;
  const reason = (given.get('reason') ?? '').trim();
  const errors: Record<string, string> = {};
  // The stored number, not the one in the form.
  if (!(await isTyped(visit, String(offboarded)))) errors['confirm'] = texts.form.notTyped(String(offboarded));
  if (reason.length < 3 || reason.length > 200) errors['reason'] = t.reasonError;
  if (Object.keys(errors).length > 0) return getImport(visit, { errors });
  const again = await stepUpNeeded(visit, at(visit, `/imports/${import_uuid}`));
  if (again !== undefined) return again;
  try {
    const allowed = await visit.admin.allowDeletes({ import_uuid, expected_offboarded: offboarded, reason });
    return { redirect: at(visit, `/imports/${allowed.import_uuid}?done=allowed`) };
  } catch (error) {
    return getImport(visit, { errors: { confirm: rejection(visit, error, { conflict: t.tooLate, not_found: t.tooLate }) } });
  }
}

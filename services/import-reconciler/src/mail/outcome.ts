import { z } from 'zod';

/** Records with import_id that outcome.json lists. */
export const OUTCOME_RECORDS = 500;

const counts = z.strictObject({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  reactivated: z.int(),
  skipped: z.int(),
  offboarded: z.int(),
});
// Bounded: only the service itself writes these.
const byCode = z.record(z.string(), z.int().positive());
const time = z.iso.datetime();
const reason = z.object({
  code: z.string(),
  count: z.int().optional().describe('Records or pairs of records, employees to offboard, attempts, or hours.'),
  managed: z.int().optional().describe('Managed employees.'),
  threshold: z.string().optional().describe('Deletion threshold in percent.'),
  records: z.array(z.int()).describe('Indexes of the first records in the snapshot.'),
});

/** outcome.json, for mailbox rules and ticket systems: codes, numbers and import_ids only. */
export const outcomeSchema = z
  .strictObject({
    version: z.literal(1),
    state: z
      .enum(['applied', 'cancelled', 'failed', 'late', 'resumed'])
      .describe('How the import ended; late: no snapshot came within the schedule; resumed: one came again.'),
    import_uuid: z.uuid().optional().describe('Absent for late and resumed, as all below but expected_by.'),
    accepted_at: time.optional(),
    finished_at: time.optional(),
    records: z.int().optional().describe('Records of the snapshot.'),
    counts: counts.optional().describe('Records by what became of them, and offboarded employees.'),
    reasons: z.array(reason).optional().describe('Why it was cancelled or has failed.'),
    snapshot_warnings: z
      .array(reason)
      .optional()
      .describe('What was noticed about the snapshot as a whole, such as leading_zeros_lost or last_admin_lost.'),
    skipped: byCode.optional().describe('Skipped records by reason.'),
    warnings: byCode.optional().describe('Applied records with a warning, by warning.'),
    import_ids: z
      .array(
        z.strictObject({ import_id: z.string().nullable().describe('null: an erased employee.'), codes: z.array(z.string()) }),
      )
      .max(OUTCOME_RECORDS)
      .optional()
      .describe('The first 500 skipped records, and records that may be about other people than before.'),
    expected_by: time.optional().describe('For late: when the snapshot was expected at the latest.'),
  })
  .meta({ title: 'outcome.json', description: 'Attachment of mails about imports.' });

export type Outcome = z.infer<typeof outcomeSchema>;

import type { ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';
import type { ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import { describe, expect, it } from 'vitest';
import { outcomeJson, renderOutcome, renderResult } from './import-rendering.ts';

const counts = { created: 2, updated: 0, unchanged: 7, reactivated: 0, skipped: 1, offboarded: 0 };

const summary: ImportSummary = {
  import_uuid: '12345678-1234-1234-1234-123456789abc',
  state: 'applied',
  accepted_at: '2026-11-20T08:09:10.123456Z',
  finished_at: '2026-11-20T08:09:11.123456Z',
  employees_total: 10,
  counts,
  cancel_reasons: [],
  reasons: [],
  warnings: [],
  managed: 7,
  deletion_threshold: '12.5',
  deletes_allowed: false,
  records_kept_until: '2026-12-20T08:09:11.123456Z',
  attempts: 2,
  phase_ms: { plan: 410, wait: 12_100, apply: 0, client: 90, upload: 60_000 },
};

const skipped = (index: number): ImportRecord => ({
  index,
  import_id: `e${index}`,
  outcome: 'skipped',
  reasons: [
    {
      pointer: `/employees/${index}/role`,
      code: 'unknown_role',
      detail: 'not one of the five roles',
      is_managed_elsewhere: false,
      values: [],
    },
  ],
  warnings: [],
  changed_fields: [],
});

describe('an import as JSON', () => {
  it('has all known values, and null for unknown ones', () => {
    expect(outcomeJson({ summary, records: [skipped(3)] })).toEqual({
      ...summary,
      rerun_of: null,
      sent_by: null,
      records_deleted_at: null,
      records: [skipped(3)],
    });
    const waiting = { ...summary, state: 'accepted', finished_at: undefined, managed: undefined, deletion_threshold: undefined };
    expect(outcomeJson({ summary: waiting, records: [] })).toMatchObject({
      finished_at: null,
      managed: null,
      deletion_threshold: null,
    });
  });
});

describe('an import for people', () => {
  it('is rendered in one line', () => {
    expect(renderResult(summary)).toBe('2 created, 7 unchanged, 1 skipped');
    const reasons = [{ code: 'deletion_threshold', count: 1, managed: 3, threshold: '33.3333', records: [] }];
    expect(renderResult({ ...summary, state: 'cancelled', reasons })).toBe(
      'Offboarding 1 of 3 managed employees is 33.33333%, above the threshold of 33.3333%',
    );
    expect(renderResult({ ...summary, state: 'accepted' })).toBe('-');
  });

  it('lists only records with a reason or a warning', () => {
    const plain: ImportRecord = {
      index: 0,
      import_id: 'plain',
      outcome: 'created',
      reasons: [],
      warnings: [],
      changed_fields: [],
    };
    const text = renderOutcome({ summary, records: [plain, skipped(3)] });
    expect(text).toContain('/employees/3/role');
    expect(text).toContain('12.5 % of 7 managed employees');
    expect(text).not.toContain('plain');
  });

  it('shows how long its phases took, and how often it was tried', () => {
    expect(renderOutcome({ summary, records: [] })).toContain(
      'client 0.1 s, upload 60.0 s, wait 12.1 s, plan 0.4 s, apply 0.0 s, 2 attempts',
    );
  });

  it('shows until when its records are kept, then when they were deleted', () => {
    expect(renderOutcome({ summary, records: [] })).toContain('are kept until 2026-12-20 08:09:11 UTC');
    const deleted = { ...summary, records_deleted_at: '2026-12-20T08:09:15.123456Z' };
    expect(renderOutcome({ summary: deleted, records: [] })).toContain('were deleted on 2026-12-20 08:09:15 UTC');
  });

  it('shows the number of omitted records', () => {
    expect(renderOutcome({ summary, records: Array.from({ length: 60 }, (_, index) => skipped(index)) })).toContain('10 more');
  });
});

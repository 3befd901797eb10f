export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** Name of a file in docs/runbooks, without `.md`. */
  readonly runbook?: string;
}

const MAX_FILL = 0.85;

export function failedIfAny(check: string, names: readonly string[], remedy: string): Finding {
  if (names.length === 0) return ok(check, 'none');
  return { check, status: 'failed', detail: `${remedy}: ${names.join(', ')}`, runbook: 'PrepareJobFailed' };
}

export function fill(check: string, used: number, max: number, unit: string, runbook: string): Finding {
  return warningIf(used / max > MAX_FILL, check, `${used} of ${max} ${unit}`, runbook);
}

export function warningIf(isWarning: boolean, check: string, detail: string, runbook: string): Finding {
  return isWarning ? { check, status: 'warning', detail, runbook } : ok(check, detail);
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail };
}

export function concern(check: string, names: readonly string[], advice: string, runbook: string): Finding {
  return warningIf(names.length > 0, check, names.length > 0 ? `${advice}: ${names.join(', ')}` : 'none', runbook);
}

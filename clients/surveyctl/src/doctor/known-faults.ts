// Oldest release of each branch without the fault. A newer branch is taken to be free of it.
const FAULTS: Readonly<Record<string, { readonly fixedIn: readonly string[]; readonly fault: string }>> = {
  PostgreSQL: {
    fixedIn: ['15.18', '16.14', '17.10', '18.4'],
    fault: 'whoever may query it may run code in it (CVE-2026-6473)',
  },
  Redis: {
    fixedIn: ['6.2.20', '7.2.11', '7.4.6', '8.0.4', '8.2.2'],
    fault: 'a script can run code in it (CVE-2025-49844)',
  },
  Valkey: { fixedIn: ['7.2.11', '8.0.6', '8.1.4'], fault: 'a script can run code in it (CVE-2025-49844)' },
};

/** Returns what is known to be wrong with a version of a product, and what to use instead. */
export function faultOf(product: string, version: string): string | undefined {
  const { fixedIn = [], fault = '' } = FAULTS[product] ?? {};
  const branchOf = (release: string): string => release.slice(0, release.lastIndexOf('.'));
  const branch = branchOf(fixedIn[0] ?? '').split('.').length;
  const own = (/[\d.]+/.exec(version)?.[0] ?? '').split('.').slice(0, branch).join('.');
  const fix = fixedIn.find((release) => compare(branchOf(release), own) >= 0);
  return fix !== undefined && compare(version, fix) < 0
    ? `${fault}; use ${fix} or later, or what the provider has patched`
    : undefined;
}

const compare = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });

// The first release of each branch without the fault. Newer branches are assumed to be free of it.
const FAULTS: Readonly<Record<string, { readonly fixedIn: readonly string[]; readonly fault: string }>> = {
  PostgreSQL: {
    fixedIn: ['15.20', '16.16', '17.12', '18.7'],
    fault: 'whoever may query it may run code in it (CVE-2026-14669, and others up to November 2026)',
  },
  Redis: {
    fixedIn: ['6.2.24', '7.2.16', '7.4.11', '8.2.9', '8.4.6', '8.6.6', '8.8.2', '8.10.1'],
    fault: 'with TLS, a client that has not signed in can run code in it (CVE-2026-81934)',
  },
  Valkey: {
    fixedIn: ['7.2.14', '8.0.10', '8.1.9', '9.0.5', '9.1.1'],
    fault: 'with TLS, a client can run code in it (CVE-2026-56684)',
  },
};

/** Returns what is known to be wrong with a version of a product, and what to use instead. */
export function faultOf(product: string, version: string): string | undefined {
  const { fixedIn = [], fault = '' } = FAULTS[product] ?? {};
  const branchOf = (release: string): string => release.slice(0, release.lastIndexOf('.'));
  const branch = branchOf(fixedIn[0] ?? '').split('.').length;
  const ownBranch = (/[\d.]+/.exec(version)?.[0] ?? '').split('.').slice(0, branch).join('.');
  const fix = fixedIn.find((release) => compare(branchOf(release), ownBranch) >= 0);
  return fix !== undefined && compare(version, fix) < 0
    ? `${fault}; use ${fix} or later, or what the provider has patched`
    : undefined;
}

const compare = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });

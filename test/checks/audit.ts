import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';

// Asks the npm registry for known vulnerabilities of all locked packages. Fails for each high or
// critical one that security/vex.json does not explain.
const TIMEOUT_MS = 60_000;
const GRAVE = new Set(['high', 'critical']);

const advisories = z.record(z.string(), z.array(z.object({ url: z.string(), title: z.string(), severity: z.string() })));
const vex = z.object({
  statements: z.array(
    z.object({
      vulnerability: z.object({ name: z.string() }),
      status: z.enum(['not_affected', 'under_investigation', 'affected', 'fixed']),
      impact_statement: z.string().min(20),
      // Not part of OpenVEX: afterwards, somebody has to look again.
      valid_until: z.iso.date(),
    }),
  ),
});
const lockfile = z.object({ packages: z.record(z.string(), z.unknown()) });

const [lockPath = 'pnpm-lock.yaml', vexPath = 'security/vex.json'] = process.argv.slice(2);
const { statements } = vex.parse(JSON.parse(await readFile(vexPath, 'utf8')));
const today = new Date().toISOString().slice(0, 10);
const explained = new Set(
  statements.filter(({ valid_until }) => valid_until >= today).map(({ vulnerability }) => vulnerability.name),
);

const versions: Record<string, string[]> = {};
for (const id of Object.keys(lockfile.parse(parse(await readFile(lockPath, 'utf8'))).packages)) {
  const at = id.lastIndexOf('@');
  (versions[id.slice(0, at)] ??= []).push(id.slice(at + 1));
}
const { stdout: registry } = await promisify(execFile)('npm', ['config', 'get', 'registry']);
const url = new URL('-/npm/v1/security/advisories/bulk', registry.trim());
const response = await fetch(url, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(versions),
  signal: AbortSignal.timeout(TIMEOUT_MS),
}).catch(() => undefined);

if (response?.ok === true) {
  const known = Object.entries(advisories.parse(await response.json())).flatMap(([name, all]) =>
    all.map((advisory) => ({ name, id: advisory.url.slice(advisory.url.lastIndexOf('/') + 1), ...advisory })),
  );
  const unexplained = known.filter(({ id, severity }) => GRAVE.has(severity) && !explained.has(id));
  process.stdout.write(`${Object.keys(versions).length} packages, ${known.length} known vulnerabilities\n`);
  for (const { name, id, severity, title } of unexplained)
    process.stdout.write(`${severity}: ${name}: ${id} ${title}; update it, or explain it in ${vexPath}\n`);
  if (unexplained.length > 0) process.exitCode = 1;
} else process.stdout.write(`skipped: audit: the registry lists no vulnerabilities (${response?.status ?? 'unreachable'})\n`);

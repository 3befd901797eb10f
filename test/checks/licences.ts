import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

// Checks the licences of all installed packages: node deploy/local/run.mjs test/checks/licences.ts
// Licences that require only attribution; one allowed alternative is enough.
const FINE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'Python-2.0',
  'PostgreSQL',
  'CC-BY-4.0',
  'PSF-2.0',
  'Zlib',
  // Require publishing changes to their own files; this repository makes none.
  'MPL-2.0',
  'EPL-2.0',
]);

const report = z.record(z.string(), z.array(z.object({ name: z.string() })));

function isFine(terms: string): boolean {
  const choices = terms.replaceAll(/[()]/g, '').split(/ or /i);
  return choices.some((choice) => choice.split(/ and /i).every((term) => FINE.has(term.trim())));
}

const { stdout } = await promisify(execFile)('npx', ['--yes', 'pnpm@12.21.0', '-r', 'licenses', 'list', '--json'], {
  maxBuffer: 64 * 2 ** 20,
});
const byTerms = Object.entries(report.parse(JSON.parse(stdout)));
const unknown = byTerms
  .filter(([terms]) => !isFine(terms))
  .map(([terms, packages]) => `${terms}: ${packages.map(({ name }) => name).join(', ')}`);
process.stdout.write(
  `${byTerms.length} kinds of terms\n${unknown.map((line) => `not among those that are fine: ${line}\n`).join('')}`,
);
if (unknown.length > 0) process.exitCode = 1;

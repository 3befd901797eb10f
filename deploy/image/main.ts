const USAGE = `usage: … COMMAND [arguments]

  gateway | export | import-reconciler | scoring-anonymity | text-analysis | account-admin | console
                             serves, until SIGTERM
  prepare                    brings the schema, the roles' passwords, the streams and their consumers to this version
  check URL                  a request without a key is rejected; one with API_KEY is answered
  surveyctl …                the operators' tool
  idle                       does nothing, until SIGTERM: a place for operators to run surveyctl in
`;

// Programs by name. Each reads the environment and the arguments after its name.
const PROGRAMS = new Map<string, () => Promise<unknown>>([
  ['gateway', () => import('@survey/gateway/main.ts')],
  ['export', () => import('@survey/export/main.ts')],
  ['import-reconciler', () => import('@survey/import-reconciler/main.ts')],
  ['scoring-anonymity', () => import('@survey/scoring-anonymity/main.ts')],
  ['text-analysis', () => import('@survey/text-analysis/main.ts')],
  ['account-admin', () => import('@survey/account-admin/main.ts')],
  ['console', () => import('@survey/console/main.ts')],
  ['prepare', () => import('./prepare.ts')],
  ['check', () => import('./check.ts')],
  ['surveyctl', () => import('@survey/surveyctl/main.ts')],
  ['idle', () => import('./idle.ts')],
]);

/** Entry point of the image: the first argument names the program. */
const [name = ''] = process.argv.splice(2, 1);
const program = PROGRAMS.get(name);
if (program !== undefined) await program();
else if (name === '--help') process.stdout.write(USAGE);
else {
  process.stderr.write(`there is no command of that name\n\n${USAGE}`);
  process.exitCode = 2;
}

import type { ServerUnaryCall } from '@grpc/grpc-js';

type Callers = readonly string[];

// Allowed callers per service and method. `ops-tools` is surveyctl. A method's own entry overrides
// its service's.
const ALLOWED_CALLERS: Readonly<Record<string, Readonly<Record<string, Callers>>>> = {
  export: { '/survey.export.v1.ExportService/': ['gateway'] },
  'import-reconciler': {
    '/survey.imports.v1.ImportService/': ['account-admin'],
    '/survey.imports.v1.ImportService/StartImport': ['gateway'],
  },
  'scoring-anonymity': {
    '/survey.scoring.v1.ScoringService/GetScore': ['gateway'],
    '/survey.scoring.v1.ScoringService/DecideTextRelease': ['text-analysis'],
    '/survey.scoring.v1.ScoringService/FormTextBlocks': ['text-analysis'],
    '/survey.scoring.v1.ScoringService/ReleaseTextBlocks': ['text-analysis'],
  },
  'text-analysis': {
    '/survey.text.v1.TextService/': ['gateway'],
    '/survey.text.v1.TopicService/': ['account-admin'],
  },
  'account-admin': {
    // For the console, each method checks its user's permissions
    // (services/account-admin/src/authorise.ts).
    '/survey.admin.v1.AccountAdminService/': ['ops-tools', 'console'],
    '/survey.text.v1.TopicService/': ['ops-tools', 'console'],
  },
};

/** Returns the allowed callers of a method: none unless the table lists some. */
export function callersOf(service: string, path: string): Callers {
  const methods = ALLOWED_CALLERS[service] ?? {};
  return methods[path] ?? methods[path.slice(0, path.lastIndexOf('/') + 1)] ?? [];
}

/** The caller has a valid certificate but may not call this method. */
export class CallerNotAllowedError extends Error {
  override readonly name = 'CallerNotAllowedError';
}

/**
 * Returns the name in the caller's certificate.
 * @throws CallerNotAllowedError unless it may call the method
 */
export function authorizeCaller(
  call: Pick<ServerUnaryCall<unknown, unknown>, 'getAuthContext'>,
  service: string,
  path: string,
): string {
  const names = call.getAuthContext()?.sslPeerCertificate?.subjectaltname ?? '';
  const callers = names.split(', ').flatMap((name) => /^URI:spiffe:\/\/survey\/([a-z-]+)$/.exec(name)?.[1] ?? []);
  const allowedCaller = callers.find((caller) => callersOf(service, path).includes(caller));
  if (allowedCaller === undefined) throw new CallerNotAllowedError(path);
  return allowedCaller;
}

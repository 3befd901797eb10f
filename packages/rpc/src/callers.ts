import type { ServerUnaryCall } from '@grpc/grpc-js';

type Callers = readonly string[];

// Who may call what of which service. `ops-tools` is surveyctl. A method that stands here by itself
// goes before its service.
const ALLOWED_CALLERS: Readonly<Record<string, Readonly<Record<string, Callers>>>> = {
  export: { '/survey.export.v1.ExportService/': ['gateway'] },
  'import-reconciler': {
    '/survey.imports.v1.ImportService/': ['account-admin'],
    '/survey.imports.v1.ImportService/StartImport': ['gateway'],
  },
  'scoring-anonymity': {
    '/survey.scoring.v1.ScoringService/GetScore': ['gateway'],
    '/survey.scoring.v1.ScoringService/DecideTextRelease': ['text-analysis'],
  },
  'text-analysis': {
    '/survey.text.v1.TextService/': ['gateway'],
    '/survey.text.v1.TopicService/': ['account-admin'],
  },
  'account-admin': {
    // What the console may call for whom is decided method by method
    // (services/account-admin/src/authorise.ts).
    '/survey.admin.v1.AccountAdminService/': ['ops-tools', 'console'],
    '/survey.text.v1.TopicService/': ['ops-tools', 'console'],
  },
};

/** The callers that a method of a service lets in: none unless the table says so. */
export function callersOf(service: string, path: string): Callers {
  const methods = ALLOWED_CALLERS[service] ?? {};
  return methods[path] ?? methods[path.slice(0, path.lastIndexOf('/') + 1)] ?? [];
}

/** Somebody with a certificate of our authority who may not call this method. */
export class CallerNotAllowedError extends Error {
  override readonly name = 'Stranger';
}

/** Returns the name in the caller's certificate. Throws Stranger unless it may call the method. */
export function authorizeCaller(
  call: Pick<ServerUnaryCall<unknown, unknown>, 'getAuthContext'>,
  service: string,
  path: string,
): string {
  const names = call.getAuthContext()?.sslPeerCertificate?.subjectaltname ?? '';
  const callers = names.split(', ').flatMap((name) => /^URI:spiffe:\/\/survey\/([a-z-]+)$/.exec(name)?.[1] ?? []);
  const allowed = callers.find((caller) => callersOf(service, path).includes(caller));
  if (allowed === undefined) throw new CallerNotAllowedError(path);
  return allowed;
}

import type { ServerUnaryCall } from '@grpc/grpc-js';

type Callers = readonly string[];

// Who may call what of which service. `ops-tools` is surveyctl. A method that stands here by itself goes before its service.
const CALLERS: Readonly<Record<string, Readonly<Record<string, Callers>>>> = {
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
    '/survey.admin.v1.AccountAdminService/': ['ops-tools'],
    '/survey.text.v1.TopicService/': ['ops-tools'],
  },
};

/** The callers that a method of a service lets in: none unless the table says so. */
export function callersOf(service: string, path: string): Callers {
  const methods = CALLERS[service] ?? {};
  return methods[path] ?? methods[path.slice(0, path.lastIndexOf('/') + 1)] ?? [];
}

/** Somebody with a certificate of our authority who may not call this method. */
export class Stranger extends Error {
  override readonly name = 'Stranger';
}

/** Throws Stranger unless the certificate that the caller has shown names one who may call the method. */
export function checkCaller(
  call: Pick<ServerUnaryCall<unknown, unknown>, 'getAuthContext'>,
  service: string,
  path: string,
): void {
  const names = call.getAuthContext()?.sslPeerCertificate?.subjectaltname ?? '';
  const callers = names.split(', ').flatMap((name) => /^URI:spiffe:\/\/survey\/([a-z-]+)$/.exec(name)?.[1] ?? []);
  if (!callers.some((caller) => callersOf(service, path).includes(caller))) throw new Stranger(path);
}

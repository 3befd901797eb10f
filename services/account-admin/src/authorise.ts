import type { Client } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { forbidden } from '@survey/rpc/application-error.ts';

type AnyHandler = (request: never, call: CallContext) => unknown;

const CONSOLE = 'console';

// Methods that the console may call for an admin of the account. All others, including new ones,
// are for operators, who use surveyctl.
const FOR_ADMINS: ReadonlySet<string> = new Set([
  'showAccount',
  'listAdmins',
  'listMails',
  'showNotices',
  'addNoticeAddress',
  'removeNoticeAddress',
  'listAudit',
  'noteAudit',
  'createKey',
  'listKeys',
  'revokeKey',
  'rotateKey',
  'listUsage',
  'reportAnonymity',
  'connectIntegration',
  'disconnectIntegration',
  'showIntegration',
  'listImports',
  'showImport',
  'listOffboarded',
  'watchImport',
  'allowDeletes',
  'checkSnapshot',
  'dryRunImport',
  'listAttributes',
  'releaseAttribute',
  'withdrawAttribute',
  'listAttributeValues',
  'changeAttributeValue',
  'showSettings',
  'setSettings',
  'listTopics',
  'createTopic',
  'renameTopic',
  'mergeTopics',
  'setTopicKeywords',
  'setTopicActive',
  'explainKeywords',
  'countTopicAnswers',
  'listTopicAnswers',
  'reassignTopic',
  'findAnswers',
  'listWithheldAnswers',
  'withholdAnswer',
  'showTextStatus',
  'listTopicModels',
]);

// Texts are shown to the account's admins only, and not to operators.
const ONLY_FOR_ADMINS: ReadonlySet<string> = new Set(['listTopicAnswers', 'reassignTopic', 'listWithheldAnswers']);

// Called before the user has signed in to an account, or for whoever has opened a mailed link.
const FOR_NOBODY_YET: ReadonlySet<string> = new Set(['findAdminAccounts', 'confirmNoticeAddress', 'endNotices']);

/**
 * Wraps the handlers with the permissions of the user for whom the console calls.
 * @throws `forbidden` when that user may not call the method.
 */
export function authorised<H extends Readonly<Record<string, AnyHandler>>>(handlers: H): H {
  const guarded = Object.entries(handlers).map(([name, handler]) => [
    name,
    (request: never, call: CallContext) => {
      authorise(name, call);
      return handler(request, call);
    },
  ]);
  return Object.fromEntries(guarded) as H; // The same names, each with a handler of the same type.
}

function authorise(method: string, { peer, onBehalfOf }: CallContext): void {
  if (onBehalfOf === undefined) {
    if (ONLY_FOR_ADMINS.has(method)) throw forbidden('only account admins may do this');
    if (peer === CONSOLE && !FOR_NOBODY_YET.has(method)) throw forbidden('the call must name its user');
    return;
  }
  if (!FOR_ADMINS.has(method)) throw forbidden('only operators may do this');
}

const ACCEPTED = 'exists (select from admin.account_issuer where account_id = $1::bigint and issuer = $3)';
const ADMIN = `select from imports.employee e
  join admin.identity i on i.account_id = e.account_id and i.employee_id = e.id
  where e.account_id = $1::bigint and i.account_id = $1::bigint and e.id = $2::bigint and e.role = 'Admin' and not e.is_deleted
    and i.issuer = $3 and i.subject = $4 and ${ACCEPTED}`;
const INVITATION = `select from admin.invitation
  where account_id = $1::bigint and id = $2::bigint and ends_at > now() and issuer = $3 and subject = $4 and ${ACCEPTED}`;

/**
 * Checks, within the transaction of the call, that it is made for the user who is linked to an
 * Admin of the account, or for an invited one (rule AUTH-INVITATION-1), and that the account
 * accepts the issuer.
 * @throws `forbidden` otherwise.
 */
export async function requireAdmin(client: Client, accountId: number, { onBehalfOf }: CallContext): Promise<void> {
  if (onBehalfOf === undefined) return;
  const { issuer, subject } = onBehalfOf;
  const { rowCount } = await (onBehalfOf.kind === 'admin'
    ? client.query(ADMIN, [accountId, onBehalfOf.employeeId, issuer, subject])
    : client.query(INVITATION, [accountId, onBehalfOf.invitationId, issuer, subject]));
  if (rowCount === 0) throw forbidden('this user is not an Admin of the account');
}

/** @throws `forbidden` when an admin requests what only operators may decide. */
export function requireOperator({ onBehalfOf }: CallContext, what: string): void {
  if (onBehalfOf !== undefined) throw forbidden(`${what} can be changed by operators only`);
}

import { getAdmins, postAddress, postRemoveAddress } from './account/admins-page.ts';
import { getAudit, getAuditCsv } from './account/audit-page.ts';
import { getOverview } from './account/overview-page.ts';
import { getOffboardedCsv } from './imports/cancelled-import.ts';
import { getDryRun, postDryRun, postDryRunCsv } from './imports/dry-run-page.ts';
import { getDryRunResult } from './imports/dry-run-result.ts';
import { getImport, getProgress, postAllow } from './imports/import-page.ts';
import { getRecordsCsv } from './imports/import-records.ts';
import { getImports } from './imports/imports-page.ts';
import { getDisconnect, getIntegration, postConnect, postDisconnect, postIntegration } from './imports/integration-page.ts';
import { getKeys, postKey } from './keys/keys-page.ts';
import { getRevoke, getRotate, postRevoke, postRotate } from './keys/rotate-and-revoke-pages.ts';
import { getValue, getValues, postValue } from './settings/attribute-values-page.ts';
import { getAttributes, getRelease, getWithdraw, postRelease, postWithdraw } from './settings/attributes-page.ts';
import { getDecision, postDecision, getGuard, postGuard } from './settings/disclosure-guard-page.ts';
import { postSettings } from './settings/change-settings.ts';
import { getMailedLink, postMailedLink } from './account/mailed-link-page.ts';
import { getSettings } from './settings/settings-page.ts';
import { getCallback } from './sign-in/callback.ts';
import { getAccounts, getHome, getSession, getSignIn, getStepUp, postLanguage, postSignIn } from './sign-in/sign-in-page.ts';
import { getFrontChannelLogout, postBackChannelLogout, postSignOut, postSignOutEverywhere } from './sign-in/sign-out.ts';
import { getTopicAnswers, postTopicAnswers } from './topics/topic-answers-page.ts';
import { getMerge, getTopic, getTopics, postMerge, postTopic, postTopicForm } from './topics/topics-page.ts';
import { getWithheld, postRelease as postReleaseText } from './topics/withheld-texts-page.ts';
import { getHelp, getPrivacy } from './views/articles.ts';
import type { Access, AccountVisit, Handler, Route } from './visit.ts';

type Handle = Handler<AccountVisit>;

const get = (path: string, access: Access, handle: Handle): Route => ({ method: 'get', path, access, handle });
const post = (path: string, access: Access, handle: Handle): Route => ({ method: 'post', path, access, handle });
const upload = (path: string, access: Access, handle: Handle): Route => ({ ...post(path, access, handle), isUpload: true });

/** Every route of the console with its permission and handler. */
export const routeTable: readonly Route[] = [
  get('/', 'public', getHome),
  get('/sign-in', 'public', getSignIn),
  post('/sign-in', 'public', postSignIn),
  get('/sign-in/callback/:issuer', 'public', getCallback),
  get('/sign-in/again', 'signed-in', getStepUp),
  post('/sign-out', 'signed-in', postSignOut),
  post('/sign-out/everywhere', 'signed-in', postSignOutEverywhere),
  post('/sign-out/back-channel', 'public', postBackChannelLogout),
  get('/sign-out/front-channel', 'public', getFrontChannelLogout),
  get('/session', 'signed-in', getSession),
  post('/language', 'public', postLanguage),
  get('/help', 'public', getHelp),
  get('/privacy', 'public', getPrivacy),
  get('/mail/:account/:address/:kind/:token', 'public', getMailedLink),
  post('/mail/:account/:address/:kind/:token', 'public', postMailedLink),
  get('/accounts', 'signed-in', getAccounts),

  get('/a/:account/', 'account', getOverview),
  get('/a/:account/help', 'account', getHelp),
  get('/a/:account/privacy', 'account', getPrivacy),
  get('/a/:account/integration', 'account', getIntegration),
  post('/a/:account/integration', 'account', postIntegration),
  post('/a/:account/integration/connect', 'account', postConnect),
  get('/a/:account/integration/disconnect', 'account', getDisconnect),
  post('/a/:account/integration/disconnect', 'account', postDisconnect),
  get('/a/:account/imports', 'account', getImports),
  get('/a/:account/imports/:import', 'account', getImport),
  get('/a/:account/imports/:import/progress', 'account', getProgress),
  get('/a/:account/imports/:import/records.csv', 'account', getRecordsCsv),
  get('/a/:account/imports/:import/offboarded.csv', 'account', getOffboardedCsv),
  post('/a/:account/imports/:import/allow', 'account', postAllow),
  get('/a/:account/dry-run', 'account', getDryRun),
  upload('/a/:account/dry-run', 'account', postDryRun),
  upload('/a/:account/dry-run.csv', 'account', postDryRunCsv),
  get('/a/:account/dry-run/:run', 'account', getDryRunResult),
  get('/a/:account/keys', 'account', getKeys),
  post('/a/:account/keys', 'account', postKey),
  get('/a/:account/keys/:key/rotate', 'account', getRotate),
  post('/a/:account/keys/:key/rotate', 'account', postRotate),
  get('/a/:account/keys/:key/revoke', 'account', getRevoke),
  post('/a/:account/keys/:key/revoke', 'account', postRevoke),
  get('/a/:account/attributes', 'account', getAttributes),
  get('/a/:account/attributes/:attribute/release', 'account', getRelease),
  post('/a/:account/attributes/:attribute/release', 'account', postRelease),
  get('/a/:account/attributes/:attribute/withdraw', 'account', getWithdraw),
  post('/a/:account/attributes/:attribute/withdraw', 'account', postWithdraw),
  get('/a/:account/attributes/:attribute/values', 'account', getValues),
  get('/a/:account/attributes/:attribute/values/:option', 'account', getValue),
  post('/a/:account/attributes/:attribute/values/:option', 'account', postValue),
  get('/a/:account/topics', 'account', getTopics),
  post('/a/:account/topics', 'account', postTopic),
  get('/a/:account/topics/:topic', 'account', getTopic),
  post('/a/:account/topics/:topic', 'account', postTopicForm),
  get('/a/:account/topics/:topic/merge', 'account', getMerge),
  post('/a/:account/topics/:topic/merge', 'account', postMerge),
  get('/a/:account/topics/:topic/answers', 'account', getTopicAnswers),
  post('/a/:account/topics/:topic/answers', 'account', postTopicAnswers),
  get('/a/:account/withheld', 'account', getWithheld),
  post('/a/:account/withheld', 'account', postReleaseText),
  get('/a/:account/settings', 'account', getSettings),
  post('/a/:account/settings', 'account', postSettings),
  get('/a/:account/guard', 'account', getGuard),
  post('/a/:account/guard', 'account', postGuard),
  get('/a/:account/guard/decision', 'account', getDecision),
  post('/a/:account/guard/decision', 'account', postDecision),
  get('/a/:account/admins', 'account', getAdmins),
  post('/a/:account/admins/addresses', 'account', postAddress),
  post('/a/:account/admins/addresses/:address/remove', 'account', postRemoveAddress),
  get('/a/:account/audit', 'account', getAudit),
  get('/a/:account/audit.csv', 'account', getAuditCsv),
];

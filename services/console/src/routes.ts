import { getAdmins } from './pages/admins.ts';
import { getAttributes, getRelease, getWithdraw, postRelease, postWithdraw } from './pages/attributes.ts';
import { getHelp, getPrivacy } from './pages/articles.ts';
import { getAudit, getAuditCsv } from './pages/audit.ts';
import { postAllow } from './pages/allow-import.ts';
import { getOffboardedCsv } from './pages/cancelled-import.ts';
import { getDryRun, postDryRun, postDryRunCsv } from './pages/dry-run.ts';
import { getDryRunResult } from './pages/dry-run-result.ts';
import { getGuard, postGuard } from './pages/guard.ts';
import { getImport, getProgress } from './pages/import.ts';
import { getRecordsCsv } from './pages/import-records.ts';
import { getImports } from './pages/imports.ts';
import {
  getDisconnect,
  getIntegration,
  postConnect,
  postDisconnect,
  postImportKey,
  postIntegration,
} from './pages/integration.ts';
import { getKeys, postKey } from './pages/keys.ts';
import { getOverview } from './pages/overview.ts';
import { getRevoke, postRevoke } from './pages/revoke-key.ts';
import { getRotate, postRotate } from './pages/rotate-key.ts';
import { getSettings, postCategorisation, postErasedAnswers, postFilter, postMasking } from './pages/settings.ts';
import { getAccounts, getHome, getSession, getSignIn, getStepUp, postLanguage, postSignIn } from './pages/sign-in.ts';
import { getTopicAnswers, postTopicAnswers } from './pages/topic-answers.ts';
import { getTopic, getTopics, postKeywords, postMerge, postRename, postTopic } from './pages/topics.ts';
import { postBackChannelLogout, postSignOut, postSignOutEverywhere } from './sign-in/sign-out.ts';
import { getCallback } from './sign-in/callback.ts';
import type { Access, AccountVisit, Handler, Route } from './visit.ts';

type Handle = Handler<AccountVisit>;

const get = (path: string, access: Access, handle: Handle): Route => ({
  method: 'get',
  path,
  access,
  handle: (visit) => handle(visit),
});
const post = (path: string, access: Access, handle: Handle): Route => ({
  method: 'post',
  path,
  access,
  handle: (visit) => handle(visit),
});
const upload = (path: string, access: Access, handle: Handle): Route => ({ ...post(path, access, handle), isUpload: true });

/** Every route of the console with its permission and handler. */
export const routeTable: readonly Route[] = [
  get('/', 'public', getHome),
  get('/sign-in', 'public', getSignIn),
  post('/sign-in', 'public', postSignIn),
  get('/sign-in/callback', 'public', getCallback),
  get('/sign-in/again', 'signed-in', getStepUp),
  post('/sign-out', 'signed-in', postSignOut),
  post('/sign-out/everywhere', 'signed-in', postSignOutEverywhere),
  post('/sign-out/back-channel', 'public', postBackChannelLogout),
  get('/session', 'signed-in', getSession),
  post('/language', 'public', postLanguage),
  get('/help', 'public', getHelp),
  get('/privacy', 'public', getPrivacy),
  get('/accounts', 'signed-in', getAccounts),

  get('/a/:account/', 'account', getOverview),
  get('/a/:account/integration', 'account', getIntegration),
  post('/a/:account/integration', 'account', postIntegration),
  post('/a/:account/integration/connect', 'account', postConnect),
  post('/a/:account/integration/key', 'account', postImportKey),
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
  get('/a/:account/topics', 'account', getTopics),
  post('/a/:account/topics', 'account', postTopic),
  get('/a/:account/topics/:topic', 'account', getTopic),
  post('/a/:account/topics/:topic/rename', 'account', postRename),
  post('/a/:account/topics/:topic/merge', 'account', postMerge),
  post('/a/:account/topics/:topic/keywords', 'account', postKeywords),
  get('/a/:account/topics/:topic/answers', 'account', getTopicAnswers),
  post('/a/:account/topics/:topic/answers', 'account', postTopicAnswers),
  get('/a/:account/settings', 'account', getSettings),
  post('/a/:account/settings/masking', 'account', postMasking),
  post('/a/:account/settings/filter', 'account', postFilter),
  post('/a/:account/settings/categorisation', 'account', postCategorisation),
  post('/a/:account/settings/erased-answers', 'account', postErasedAnswers),
  get('/a/:account/guard', 'account', getGuard),
  post('/a/:account/guard', 'account', postGuard),
  get('/a/:account/admins', 'account', getAdmins),
  get('/a/:account/audit', 'account', getAudit),
  get('/a/:account/audit.csv', 'account', getAuditCsv),
];

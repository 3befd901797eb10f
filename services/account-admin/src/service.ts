import { startAccountWork } from '@survey/bus/account-work.ts';
import { openBus, type BusConnection } from '@survey/bus/connection.ts';
import { startOutboxRelay, type OutboxRelay } from '@survey/bus/outbox.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { isReachable, openDatabase } from '@survey/postgres/open-database.ts';
import { waitForCompatibleSchema } from '@survey/postgres/schema-compatibility.ts';
import { startService, type Service } from '@survey/process/service.ts';
import { AccountAdminServiceDefinition, type DefaultRetention } from '@survey/proto/admin/v1/admin.ts';
import { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { busy } from '@survey/rpc/application-error.ts';
import { serve, defineService } from '@survey/rpc/serve.ts';
import { connectUpstream, type Upstream } from '@survey/rpc/upstream.ts';
import type { Settings } from './config.ts';
import { createAccount, listAccounts, showAccount } from './accounts.ts';
import { auditRetention, listAudit, noteAudit } from './audit-log.ts';
import { authorised } from './authorise.ts';
import {
  cancelAccountDeletion,
  deleteAccount,
  deletionWork,
  replayAccountDeletions,
  showAccountDeletion,
} from './delete-account.ts';
import { connectIntegration, disconnectIntegration, showIntegration } from './imports/connect-integration.ts';
import { allowDeletes, checkSnapshot, dryRunImport, rekeyEmployees } from './imports/forward-imports.ts';
import { listImports, showImport } from './imports/show-imports.ts';
import { listOffboarded } from './imports/list-offboarded.ts';
import {
  addNoticeAddress,
  confirmNoticeAddress,
  endNotices,
  removeNoticeAddress,
  showNotices,
  unusedAddressWork,
} from './imports/notice-addresses.ts';
import { watchImport } from './imports/watch-import.ts';
import { createKey, listKeys, listUsage, revokeKey, rotateKey } from './manage-keys.ts';
import { findAdminAccounts, setIssuers, showIssuers } from './account-issuers.ts';
import { inviteAdmin, listAdmins, listMails, withdrawInvitation } from './admins.ts';
import { eraseEmployee, erasureWork, exportEmployee, replayEmployeeErasures, showEmployeeErasure } from './request-erasure.ts';
import { showAccess, showEmployee } from './show-employee.ts';
import { showSettings } from './settings/account-settings.ts';
import { reportAnonymity } from './settings/anonymity-report.ts';
import {
  changeAttributeValue,
  listAttributes,
  listAttributeValues,
  releaseAttribute,
  withdrawAttribute,
} from './settings/attributes.ts';
import { forwardTopicCalls } from './settings/forward-topics.ts';
import { setSettings } from './settings/set-settings.ts';
import { listFactPositions, replayEvents, countDeferredFacts, listDeadLetters } from './bus-recovery.ts';

const NAME = 'account-admin';
// Requests wake the worker; the poll finds scheduled deletions.
const WORK_POLL_MS = 10_000;

/**
 * Starts the operators' service for accounts, keys, the integration, settings, topics, and the
 * results of imports, facts and texts. It works without the bus, only more slowly.
 */
export function startAccountAdmin(settings: Settings): Promise<Service> {
  return startService(NAME, settings, async (context) => {
    const pool = openDatabase({ url: settings.DATABASE_URL, name: NAME }, context);
    await waitForCompatibleSchema(pool, context);
    const bus = openBus(settings.NATS_URL, NAME, context);
    const relay = startOutboxRelay(pool, 'admin', bus, context);
    const work = startAccountWork(
      { pool, schema: 'admin', bus, pollMs: WORK_POLL_MS },
      [
        deletionWork({ pool, bus, relay }),
        erasureWork(pool, bus),
        unusedAddressWork(pool),
        auditRetention(pool, settings.AUDIT_RETENTION_DAYS, context.metrics),
      ],
      context,
    );
    const imports = context.resources.use(connectUpstream(ImportServiceDefinition, settings.IMPORT_RECONCILER_ADDRESS, context));
    const stopping = new AbortController();
    const { OPERATOR_ISSUERS: operatorIssuers, DISCLOSURE_GUARD_DEFAULT: guardDefault } = settings;
    const handlers = handlersOf({
      pool,
      bus,
      relay,
      imports,
      operatorIssuers,
      guardDefault,
      retention: defaultRetention(settings),
      wakeWork: work.wake,
      stopping: stopping.signal,
    });
    const textAt = settings.TEXT_ANALYSIS_ADDRESS;
    const text = context.resources.use(connectUpstream(TopicServiceDefinition, textAt, context, { byAccount: true }));
    const topics = defineService(TopicServiceDefinition, authorised(forwardTopicCalls(pool, text)));
    const address = await serve(settings.GRPC_LISTEN, AccountAdminServiceDefinition, authorised(handlers), context, [topics]);
    // Watches end before the server waits for its calls, because they last as long as an import.
    context.resources.defer(() => stopping.abort(busy('account-admin is stopping: retry the watch')));
    return { address, ready: () => isReachable(pool) };
  });
}

interface Resources {
  readonly pool: Pool;
  readonly bus: BusConnection;
  readonly relay: OutboxRelay;
  readonly imports: Upstream<ImportServiceDefinition>;
  // Issuers whose users are operators and never admins.
  readonly operatorIssuers: readonly string[];
  readonly guardDefault: Settings['DISCLOSURE_GUARD_DEFAULT'];
  readonly retention: DefaultRetention;
  readonly wakeWork: () => void;
  // Aborted when the service stops.
  readonly stopping: AbortSignal;
}

const defaultRetention = (settings: Settings): DefaultRetention => ({
  outcomes_days: settings.IMPORT_RETENTION_DAYS,
  offboarded_days: settings.OFFBOARDED_RETENTION_DAYS,
  answers_days: settings.ANSWER_RETENTION_DAYS,
  audit_days: settings.AUDIT_RETENTION_DAYS,
});

function handlersOf({ pool, bus, relay, imports, operatorIssuers, guardDefault, retention, wakeWork, stopping }: Resources) {
  return {
    createAccount: createAccount(pool, guardDefault),
    listAccounts: listAccounts(pool),
    showAccount: showAccount(pool),
    deleteAccount: deleteAccount(pool, wakeWork),
    cancelAccountDeletion: cancelAccountDeletion(pool),
    showAccountDeletion: showAccountDeletion(pool),
    replayAccountDeletions: replayAccountDeletions(pool, bus, wakeWork),
    replayEvents: replayEvents(pool),
    listFactPositions: listFactPositions(pool),
    findAdminAccounts: findAdminAccounts(pool, operatorIssuers),
    setIssuers: setIssuers(pool, operatorIssuers),
    showIssuers: showIssuers(pool),
    listAdmins: listAdmins(pool),
    inviteAdmin: inviteAdmin(pool),
    withdrawInvitation: withdrawInvitation(pool),
    listMails: listMails(pool),
    showNotices: showNotices(pool),
    addNoticeAddress: addNoticeAddress(pool),
    removeNoticeAddress: removeNoticeAddress(pool),
    confirmNoticeAddress: confirmNoticeAddress(pool),
    endNotices: endNotices(pool),
    listAudit: listAudit(pool),
    noteAudit: noteAudit(pool),
    createKey: createKey(pool),
    listKeys: listKeys(pool),
    revokeKey: revokeKey(pool, relay),
    rotateKey: rotateKey(pool, relay),
    listUsage: listUsage(pool),
    reportAnonymity: reportAnonymity(pool),
    connectIntegration: connectIntegration(pool),
    disconnectIntegration: disconnectIntegration(pool),
    showIntegration: showIntegration(pool),
    listImports: listImports(pool),
    showImport: showImport(pool),
    listOffboarded: listOffboarded(pool),
    watchImport: watchImport(pool, bus, stopping),
    allowDeletes: allowDeletes(pool, imports),
    checkSnapshot: checkSnapshot(pool, imports),
    dryRunImport: dryRunImport(pool, imports),
    listAttributes: listAttributes(pool),
    releaseAttribute: releaseAttribute(pool),
    withdrawAttribute: withdrawAttribute(pool),
    listAttributeValues: listAttributeValues(pool),
    changeAttributeValue: changeAttributeValue(pool, imports),
    showAccess: showAccess(pool),
    showEmployee: showEmployee(pool),
    eraseEmployee: eraseEmployee(pool, imports),
    rekeyEmployees: rekeyEmployees(pool, imports),
    showEmployeeErasure: showEmployeeErasure(pool),
    replayEmployeeErasures: replayEmployeeErasures(pool, bus, imports),
    exportEmployee: exportEmployee(pool),
    showSettings: showSettings(pool, retention),
    setSettings: setSettings(pool, relay, retention),
    listDeadLetters: listDeadLetters(pool),
    countDeferredFacts: countDeferredFacts(pool),
  };
}

import type { ImportCounts, ImportReason, ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';
import { AccountAdminServiceDefinition, type ShowImportResponse } from '@survey/proto/admin/v1/admin.ts';
import { toolOf } from '@survey/process/tool.ts';
import { connectUpstream, type CallOptions, type Upstream } from '@survey/rpc/upstream.ts';

export interface Account {
  readonly accountId: number;
  readonly readKey: string;
  readonly writeKey: string;
  readonly writeKeyId: string;
}

interface AccountOptions {
  // Percent, as decimal text; default 20.
  readonly threshold?: string;
  readonly defaultLanguage?: string;
  readonly connected?: boolean;
}

/** The outcome of an import. */
export interface ImportOutcome {
  readonly importUuid: string;
  // accepted, applied, cancelled or failed.
  readonly state: string;
  readonly counts: ImportCounts;
  readonly reasons: readonly ImportReason[];
  // Without records that are unchanged and have no warnings.
  readonly records: readonly ImportRecord[];
}

type Admin = Upstream<typeof AccountAdminServiceDefinition>;

const AS_OPERATOR: CallOptions = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
const IMPORT_TIMEOUT_MS = 170_000;
const POLL_MS = 20;

/** Operator actions, through account-admin. */
export interface Operator extends Disposable {
  readonly admin: Admin;
  createAccount(options?: AccountOptions): Promise<Account>;
  connect(accountId: number, options?: AccountOptions): Promise<void>;
  disconnect(accountId: number): Promise<void>;
  revokeKey(account: Account): Promise<void>;
  showImport(accountId: number, importUuid: string): Promise<ImportOutcome>;
  // Waits until the import has ended in any state.
  importEnded(accountId: number, importUuid: string): Promise<ImportOutcome>;
}

export function operatorAt(address: string): Operator {
  const admin = connectUpstream(AccountAdminServiceDefinition, address, toolOf('test'));
  const showImport: Operator['showImport'] = async (account_id, import_uuid) =>
    outcomeOf(await admin.showImport({ account_id, import_uuid }, AS_OPERATOR));
  const connect: Operator['connect'] = async (account_id, { threshold = '20', defaultLanguage = 'de' } = {}) => {
    const settings = { default_language: defaultLanguage, deletion_threshold: threshold };
    await admin.connectIntegration({ account_id, ...settings }, AS_OPERATOR);
  };
  return {
    admin,
    connect,
    showImport,
    createAccount: (options) => createAccount(admin, connect, options),
    disconnect: async (account_id) => {
      await admin.disconnectIntegration({ account_id }, AS_OPERATOR);
    },
    revokeKey: async ({ accountId, writeKeyId }) => {
      await admin.revokeKey({ account_id: accountId, key_id: writeKeyId }, AS_OPERATOR);
    },
    importEnded: (accountId, importUuid) => untilEnded(() => showImport(accountId, importUuid)),
    [Symbol.dispose]: () => admin[Symbol.dispose](),
  };
}

async function createAccount(admin: Admin, connect: Operator['connect'], options: AccountOptions = {}): Promise<Account> {
  const { account_id } = await admin.createAccount({ name: 'Test' }, AS_OPERATOR);
  const read = await admin.createKey({ account_id, scope: 'read' }, AS_OPERATOR);
  const write = await admin.createKey({ account_id, scope: 'employees:write' }, AS_OPERATOR);
  if (options.connected ?? true) await connect(account_id, options);
  return { accountId: account_id, readKey: read.key, writeKey: write.key, writeKeyId: write.key_id };
}

async function untilEnded(show: () => Promise<ImportOutcome>): Promise<ImportOutcome> {
  const deadline = Date.now() + IMPORT_TIMEOUT_MS;
  for (;;) {
    const outcome = await show();
    if (outcome.state !== 'accepted') return outcome;
    if (Date.now() > deadline) throw new Error(`the import has not ended after ${IMPORT_TIMEOUT_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function outcomeOf({ summary, records }: ShowImportResponse): ImportOutcome {
  if (summary?.counts === undefined || summary.counts === null) throw new Error('the import is shown without its summary');
  const { import_uuid: importUuid, state, counts, reasons } = summary;
  return { importUuid, state, counts, reasons, records };
}

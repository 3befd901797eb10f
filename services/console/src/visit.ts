import type { BoundUpstream, Upstream } from '@survey/rpc/upstream.ts';
import type { AccountAdminServiceDefinition } from '@survey/proto/admin/v1/admin.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Caller, Principal } from '@survey/rpc/call-context.ts';
import type { Log } from '@survey/process/log.ts';
import type { Request, Response } from 'express';
import type { Issuers } from './sign-in/sign-in-providers.ts';
import type { Session, SessionLimits } from './sign-in/session.ts';
import type { SessionStore } from './sign-in/store.ts';
import type { Limits } from './limits.ts';
import type { Format } from './views/format.ts';
import type { Html } from './views/html.ts';
import type { Language, Texts } from './texts/languages.ts';
import type { Assets } from './assets.ts';

/** The dependencies shared by all pages. */
export interface Services {
  readonly admin: Upstream<AccountAdminServiceDefinition>;
  readonly topics: Upstream<TopicServiceDefinition>;
  readonly sessions: SessionStore;
  readonly sessionLimits: SessionLimits;
  readonly issuers: Issuers;
  readonly limits: Limits;
  readonly assets: Assets;
  readonly origin: string;
  // Absent: pages show no commands to try.
  readonly apiUrl: string | undefined;
  readonly maxSnapshotBytes: number;
}

/** Deadlines of calls that read and of those that change something. */
export const READ_MS = 5_000;
export const CHANGE_MS = 10_000;

/** One request and its user. */
export interface Visit {
  readonly services: Services;
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly address: string;
  readonly log: Log;
  readonly language: Language;
  readonly texts: Texts;
  readonly format: Format;
  // Path without the query.
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly session: Session | undefined;
  readonly sessionId: string | undefined;
  // The page shows a form again after the user has signed in again for it.
  readonly isResumed: boolean;
  /**
   * Writes an audit record for an action that changes no data. The action must not happen without
   * it.
   */
  noteAudit(account: { readonly id: number; readonly principal?: Principal }, action: string, what?: string): Promise<void>;
}

export interface SignedInVisit extends Visit {
  readonly session: Session;
  readonly sessionId: string;
}

/** A request in an account that the user may act in. */
export interface AccountVisit extends SignedInVisit {
  readonly account: { readonly id: number; readonly name: string };
  // Path parameters after /a/{account}, by their name in the route.
  readonly params: Readonly<Record<string, string>>;
  // Calls in the account on behalf of the user.
  readonly admin: BoundUpstream<AccountAdminServiceDefinition, 'account_id'>;
  readonly topics: BoundUpstream<TopicServiceDefinition>;
  /** Metadata for streaming calls, and for calls in another account of the user. */
  caller(accountId?: number): Caller;
}

export interface Page {
  // The title of the document, and its h1 unless the body has one.
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  // The selected navigation entry.
  readonly section?: string;
  // Seconds until a page without script reloads.
  readonly reloadSeconds?: number;
}

/** The result of a handler. */
export type Reply =
  | { readonly page: Page }
  | { readonly fragment: Html; readonly headers?: Readonly<Record<string, string>> }
  | { readonly redirect: string }
  // A page that redirects by itself: form-action 'self' blocks redirects to another host after a
  // form.
  | { readonly leadOn: string }
  | { readonly csv: string; readonly rows: AsyncIterable<readonly string[]> };

export type Handler<V extends Visit = Visit> = (visit: V) => Promise<Reply>;

/** Permission of a route. Account routes are for the admins of the account. */
export type Access = 'public' | 'signed-in' | 'account';

export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly access: Access;
  readonly handle: Handler<AccountVisit>;
  // The handler reads the body itself: a snapshot is streamed.
  readonly isUpload?: boolean;
}

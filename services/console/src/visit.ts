import type { AccountAdminServiceService } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import type { TopicServiceService } from '@survey/rpc/gen/survey/text/v1/topics.ts';
import type { RequestOf, ResponseOf } from '@survey/rpc/methods.ts';
import type { UnaryName, Upstream } from '@survey/rpc/upstream.ts';
import type { Caller } from '@survey/rpc/call-context.ts';
import type { Log } from '@survey/process/log.ts';
import type { Request, Response } from 'express';
import type { Issuers } from './sign-in/issuers.ts';
import type { Session } from './session/session.ts';
import type { SessionStore } from './session/store.ts';
import type { Limits } from './guard/limits.ts';
import type { Format } from './views/format.ts';
import type { Html } from './views/html.ts';
import type { Language, Texts } from './texts/languages.ts';
import type { Assets } from './assets.ts';

export type AdminMethods = AccountAdminServiceService;
export type TopicMethods = TopicServiceService;

/** What all pages share. */
export interface Services {
  readonly admin: Upstream<AdminMethods>;
  readonly topics: Upstream<TopicMethods>;
  readonly sessions: SessionStore;
  readonly issuers: Issuers;
  readonly limits: Limits;
  readonly assets: Assets;
  readonly origin: string;
  readonly maxSnapshotBytes: number;
}

/** One request, and who makes it. */
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
  // The path without its query.
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly session: Session | undefined;
  readonly sessionId: string | undefined;
  /** Records something that is no change of its own. Without the record it must not happen. */
  noteAudit(account: { readonly id: number; readonly employeeId?: number }, action: string, what?: string): Promise<void>;
}

export interface SignedInVisit extends Visit {
  readonly session: Session;
  readonly sessionId: string;
  /** Calls for an operator, outside an account that they have entered. */
  call<K extends UnaryName<AdminMethods>>(name: K, request: RequestOf<AdminMethods[K]>): Promise<ResponseOf<AdminMethods[K]>>;
}

/** In an account that the person may act in. */
export interface AccountVisit extends SignedInVisit {
  readonly account: { readonly id: number; readonly name: string };
  // The part of the address after /a/{account}, as the route's pattern names it.
  readonly params: Readonly<Record<string, string>>;
  /** Calls account-admin in the account, for the person. */
  ask<K extends UnaryName<AdminMethods>>(
    name: K,
    request: Omit<RequestOf<AdminMethods[K]>, 'account_id'>,
  ): Promise<ResponseOf<AdminMethods[K]>>;
  askTopics<K extends UnaryName<TopicMethods>>(
    name: K,
    request: RequestOf<TopicMethods[K]>,
  ): Promise<ResponseOf<TopicMethods[K]>>;
  /** For calls that stream. */
  caller(): Caller;
}

export interface Page {
  // Also the h1, unless the body has its own.
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  // The entry of the navigation that is marked.
  readonly section?: string;
  // Loaded again after so many seconds where there is no script.
  readonly reloadSeconds?: number;
}

/** What a handler returns. */
export type Reply =
  | { readonly page: Page }
  | { readonly fragment: Html; readonly headers?: Readonly<Record<string, string>> }
  | { readonly redirect: string }
  // A page that goes on by itself: form-action 'self' stops a redirect to another host after a form.
  | { readonly leadOn: string }
  | { readonly csv: string; readonly rows: AsyncIterable<readonly string[]> };

export type Handler<V extends Visit = Visit> = (visit: V) => Promise<Reply>;

/** Who may ask for a route. An account's routes are for its admins, and for operators who have entered it. */
export type Access = 'public' | 'signed-in' | 'account' | 'admin' | 'operator';

export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly access: Access;
  readonly handle: Handler<AccountVisit>;
  // A snapshot: read by the handler, not before it.
  readonly isUpload?: boolean;
}

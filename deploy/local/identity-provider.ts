import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { createSigningKeys, createStorage } from './provider-storage.ts';

/** A user of the development provider. */
export interface Person {
  // OpenID Connect subject, and the login_hint that signs in this user without a prompt.
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly email_verified?: boolean;
  // Time of the next sign-in, in seconds since 1970; absent: now.
  readonly auth_time?: number;
}

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  // Replaces all users.
  setPeople(people: readonly Person[]): void;
}

interface IdentityProviderOptions {
  readonly port: number;
  readonly consoleUrl: string;
  // Id of this provider in CONSOLE_ISSUERS, part of the redirect URI.
  readonly issuerId: string;
  readonly clientSecret: string;
  readonly people: readonly Person[];
}

export const CLIENT_ID = 'console';
const DAY_SECONDS = 86_400;

/**
 * Serves an OpenID Connect provider for development and tests on 127.0.0.1. It asks for no
 * password, so it refuses to start when NODE_ENV is production, and it is not in the image.
 */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  if (process.env['NODE_ENV'] === 'production')
    throw new Error('cannot start the development identity provider: NODE_ENV is production');
  let { people } = options;
  const server = createServer();
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    ...configuration(options, () => people),
    adapter: createStorage(),
    jwks: await createSigningKeys(),
  });
  const serve = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/choose/')) void serve(request, response);
    else
      choose(provider, () => people, request, response).catch(() =>
        response.writeHead(400).end('This sign-in is over. Begin again in the console.'),
      );
  });
  return {
    issuer,
    setPeople: (given) => {
      people = given;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function configuration(
  { consoleUrl, issuerId, clientSecret }: IdentityProviderOptions,
  people: () => readonly Person[],
): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: [`${consoleUrl}/sign-in/callback/${issuerId}`],
        post_logout_redirect_uris: [`${consoleUrl}/sign-in?after=sign-out`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        backchannel_logout_uri: `${consoleUrl}/sign-out/back-channel`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // The ID token has these claims, too, because the console makes no userinfo request.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    // Without the library's agent, which refuses to report a sign-out to a loopback address.
    fetch: (url, { dispatcher: _agent, ...options } = {}) => fetch(url, options),
    // Stated only because the library prints a notice about each default.
    ttl: {
      AccessToken: 3_600,
      AuthorizationCode: 60,
      Grant: DAY_SECONDS,
      IdToken: 3_600,
      Interaction: 3_600,
      Session: DAY_SECONDS,
    },
    pkce: { required: () => true },
    interactions: { url: (_context, interaction) => `/choose/${interaction.uid}` },
    cookies: { keys: [clientSecret] },
    findAccount: (_context, id) => {
      const person = people().find((each) => each.id === id);
      if (person === undefined) return undefined;
      const { email, name, email_verified = true } = person;
      return { accountId: id, claims: () => ({ sub: id, email, email_verified, name }) };
    },
    loadExistingGrant: allowAll,
  };
}

// No consent prompt for the e-mail address.
async function allowAll({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider } = oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}

async function choose(
  provider: Provider,
  people: () => readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const chosen = new URL(request.url ?? '', 'http://own.invalid').searchParams.get('as') ?? params['login_hint'];
  const person = people().find(({ id }) => id === chosen);
  if (person !== undefined)
    return provider.interactionFinished(
      request,
      response,
      { login: { accountId: person.id, ...(person.auth_time !== undefined && { ts: person.auth_time }) } },
      { mergeWithLastSubmission: false },
    );
  const links = people().map(({ id, name }) => `<p><a href="?as=${encodeURIComponent(id)}">${escape(name)}</a></p>`);
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><html lang="en"><title>Development provider</title><h1>Sign in as</h1>${links.join('')}</html>`);
}

const escape = (text: string): string => text.replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);

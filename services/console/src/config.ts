import { domainToASCII } from 'node:url';
import { json, processEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { httpTlsSettings } from '@survey/process/http-tls.ts';
import { redisUrl } from '@survey/process/open-redis.ts';
import { z } from 'zod';

const SESSION_KEY_BYTES = 32;

const issuer = z.strictObject({
  // Used only in console URLs.
  id: z.string().regex(/^[a-z0-9-]{1,40}$/),
  // Name shown on the sign-in page.
  name: z.string().min(1).max(60),
  // Issuer URL as in the provider's discovery document.
  issuer: z.url(),
  client_id: z.string().min(1),
  // Absent: a public client that uses PKCE only.
  client_secret: z.string().min(1).optional(),
  // E-mail domains whose users sign in here. Required when there are several issuers.
  // Bounded: settings of the operator.
  domains: z
    .array(
      z
        .string()
        .transform((domain) => domainToASCII(domain))
        .refine((domain) => domain !== '', 'must be domains'),
    )
    .default([]),
  // The provider verifies addresses although it sends no email_verified claim.
  trust_email: z.boolean().default(false),
  // The ID token must have one of these contexts, which is how a second factor is required.
  // Bounded: settings of the operator.
  acr_values: z.array(z.string().min(1)).default([]),
  // One of these methods must have been used. For providers that send no acr.
  // Bounded: settings of the operator.
  amr_values: z.array(z.string().min(1)).default([]),
  login_hint: z.string().optional(),
});

/** An OpenID Connect provider. */
export type Issuer = z.output<typeof issuer>;

const haveOwnIds = (issuers: readonly Issuer[]): boolean => new Set(issuers.map(({ id }) => id)).size === issuers.length;

const sessionKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
  if (keys.every(({ length }) => length === SESSION_KEY_BYTES)) return keys;
  context.addIssue(`each key must be ${SESSION_KEY_BYTES} bytes in base64`);
  return z.NEVER;
});

export const environment = {
  ...processEnvironment,
  ...httpTlsSettings,
  REDIS_URL: redisUrl.describe('Redis for sessions and used forms, as for the gateway. After its loss, users sign in again'),
  HTTP_LISTEN: z.string().default('127.0.0.1:8081').describe('host:port of the pages'),
  CONSOLE_URL: z
    .url()
    .refine((url) => new URL(url).origin === url, 'must be an origin, without a path')
    .describe('Origin as browsers see it, such as `https://console.example.com`'),
  API_URL: z.url().optional().describe('Base URL of the API, for the command that is shown with a new key'),
  ACCOUNT_ADMIN_ADDRESS: z.string().min(1).describe('host:port of account-admin; the name may resolve to several instances'),
  CONSOLE_ISSUERS: json(z.array(issuer).min(1).refine(haveOwnIds, 'each entry must have an id of its own')).describe(
    'JSON list of OpenID Connect providers (docs/identity.md)',
  ),
  CONSOLE_SESSION_KEYS: sessionKeys.describe(
    'Keys of 32 bytes as base64, separated by commas. The first seals sessions, all of them open',
  ),
  SESSION_IDLE_MINUTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(30)
    .default(30)
    .describe('Time without a request after which a session ends'),
  SESSION_MAX_HOURS: z.coerce.number().int().min(1).max(8).default(8).describe('Maximum duration of a session'),
  SIGN_INS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(20)
    .describe('Sign-ins per client address and minute; a whole company may share one'),
  TRUSTED_PROXY_HOPS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('Exact number of proxies in front whose `X-Forwarded-For` entries are trusted'),
  CONSOLE_MAX_SNAPSHOT_MB: z.coerce
    .number()
    .int()
    .min(1)
    .max(4_096)
    .default(256)
    .describe('Maximum snapshot of a dry run as received'),
};

export type Settings = SettingsOf<typeof environment>;

import { processEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

const SESSION_KEY_BYTES = 32;

const issuer = z.strictObject({
  // Part of addresses in the console, and of nothing else.
  id: z.string().regex(/^[a-z0-9-]{1,40}$/),
  // As the sign-in page shows it.
  name: z.string().min(1).max(60),
  // As the provider's discovery document has it.
  issuer: z.url(),
  client_id: z.string().min(1),
  // Absent: a public client, with PKCE alone.
  client_secret: z.string().min(1).optional(),
  // The e-mail domains whose people sign in here. Needed where there are several issuers.
  domains: z.array(z.string().toLowerCase()).default([]),
  // The provider lets nobody have an address that is not theirs, though it does not say email_verified.
  trust_email: z.boolean().default(false),
  // Those who sign in here are operators when this claim has this value, and never admins.
  operators: z.strictObject({ claim: z.string().min(1), value: z.string().min(1) }).optional(),
  login_hint: z.string().optional(),
});

/** An OpenID Connect provider. */
export type Issuer = z.output<typeof issuer>;

const json = <S extends z.ZodType>(schema: S) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue('must be JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

const sessionKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
  if (keys.every(({ length }) => length === SESSION_KEY_BYTES)) return keys;
  context.addIssue(`each key must be ${SESSION_KEY_BYTES} bytes in base64`);
  return z.NEVER;
});

export const environment = {
  ...processEnvironment,
  // Sessions, and what forms were used. All of it may be lost: people sign in again.
  REDIS_URL: z.url(),
  // Where the pages are served: host:port.
  HTTP_LISTEN: z.string().default('127.0.0.1:8081'),
  // As browsers see it, such as https://console.example.com: scheme, host and port, nothing else.
  CONSOLE_URL: z.url().refine((url) => new URL(url).origin === url, 'must be an origin, without a path'),
  // host:port, or a name that resolves to all instances.
  ACCOUNT_ADMIN_ADDRESS: z.string().min(1),
  // JSON: a list of {id, name, issuer, client_id, client_secret, domains, trust_email, operators}.
  CONSOLE_ISSUERS: json(z.array(issuer).min(1)),
  // Base64 of 32 random bytes each, separated by commas. The first seals sessions, the others still open them.
  CONSOLE_SESSION_KEYS: sessionKeys,
  // Minutes without a click after which a session ends, and hours after which it ends in any case.
  SESSION_IDLE_MINUTES: z.coerce.number().int().min(1).max(30).default(30),
  SESSION_MAX_HOURS: z.coerce.number().int().min(1).max(8).default(8),
  // Sign-ins that one address may begin in a minute: a company may come from one.
  SIGN_INS_PER_MINUTE: z.coerce.number().int().min(1).max(100_000).default(20),
  // Proxies between the browser and this process that add to X-Forwarded-For: exactly so many are believed.
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  // The largest snapshot that a dry run takes, as received.
  CONSOLE_MAX_SNAPSHOT_MB: z.coerce.number().int().min(1).max(4_096).default(256),
};

export type Settings = SettingsOf<typeof environment>;

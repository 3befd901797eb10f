import { utc } from './utc.ts';

// An ApiKey of admin.proto, from admin.api_key: everything but the hash.
export const KEY_COLUMNS = `key_id, prefix, scope, ${utc('created_at')} as created_at, ${utc('revoked_at')} as revoked_at`;

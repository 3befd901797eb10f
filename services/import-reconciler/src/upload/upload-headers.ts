import { invalid, unsupported } from '@survey/rpc/application-error.ts';
import { ParseError, parseItem } from 'structured-headers';

/**
 * Returns the body's encoding: identity or a single gzip, as in the contract (rule
 * IMPORT-REQUEST-ENCODING-1).
 * @throws `unsupported`
 */
export function parseContentEncoding(header: string): 'gzip' | 'identity' {
  const encoding = header.trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return 'identity';
  if (encoding === 'gzip') return 'gzip';
  throw unsupported('The Content-Encoding is not supported. Send the body as it is, or with Content-Encoding: gzip.');
}

/**
 * Requires JSON in UTF-8, which is also the default without a Content-Type (rule
 * IMPORT-REQUEST-ENCODING-2).
 * @throws `unsupported` or `invalid`
 */
export function checkContentType(header: string): void {
  if (header.trim() === '') return;
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  if (type.trim() !== 'application/json')
    throw unsupported('The Content-Type is not supported. Send JSON with Content-Type: application/json.');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    const charset = value.trim().replaceAll('"', '');
    if (name.trim() === 'charset' && charset !== 'utf-8' && charset !== 'utf8')
      throw invalid('The charset of the body is not supported. Send UTF-8.');
  }
}

/**
 * Returns the key that the Idempotency-Key header names: a string in quotes, as in
 * draft-ietf-httpapi-idempotency-key-header, or the key itself (rule IMPORT-LIFECYCLE-RETRY-1).
 * @throws `invalid`
 */
export function readIdempotencyKey(header: string | null | undefined): string | undefined {
  if (header == null) return undefined;
  const key = header.startsWith('"') ? readQuotedString(header) : /^[!-~]+$/.exec(header)?.[0];
  if (key === undefined || key.length < 1 || key.length > IDEMPOTENCY_KEY_MAX)
    throw invalid('The Idempotency-Key is not valid. Send 1 to 255 visible ASCII characters, or a string in quotes.', [
      { pointer: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters, or a string in quotes' },
    ]);
  return key;
}

const IDEMPOTENCY_KEY_MAX = 255;

// Reads a string item of RFC 9651; its parameters mean nothing here.
function readQuotedString(header: string): string | undefined {
  try {
    const [value] = parseItem(header);
    return typeof value === 'string' ? value : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

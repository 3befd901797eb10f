import { invalid, unsupported } from '@survey/rpc/application-error.ts';

/**
 * Returns the body's encoding: identity or a single gzip, as in the contract (rule
 * IMPORT-REQUEST-ENCODING-1).
 * @throws `unsupported`
 */
export function contentEncoding(header: string): 'gzip' | 'identity' {
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
 * Requires an Idempotency-Key that can be stored and compared.
 * @throws `invalid`
 */
export function checkIdempotencyKey(header: string | null | undefined): void {
  if (header != null && !/^[!-~]{1,255}$/.test(header))
    throw invalid('The Idempotency-Key is not valid. Send 1 to 255 visible ASCII characters.');
}

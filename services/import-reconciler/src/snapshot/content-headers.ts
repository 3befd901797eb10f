import { invalid, unsupported } from '@survey/rpc/application-error.ts';

/** The body's encoding: identity or one gzip, as the contract promises and nothing else (rule IMPORT-REQUEST-ENCODING-1). Throws `unsupported`. */
export function contentEncoding(header: string): 'gzip' | 'identity' {
  const encoding = header.trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return 'identity';
  if (encoding === 'gzip') return 'gzip';
  throw unsupported('The Content-Encoding is not supported. Send the body as it is, or with Content-Encoding: gzip.');
}

/** Bodies are JSON in UTF-8; without a Content-Type they are taken for that (rule IMPORT-REQUEST-ENCODING-2). Throws `unsupported` or `invalid`. */
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

/** An Idempotency-Key that can be kept and compared. Throws `invalid`. */
export function checkIdempotencyKey(header: string | null | undefined): void {
  if (header != null && !/^[!-~]{1,255}$/.test(header))
    throw invalid('The Idempotency-Key is not valid. Send 1 to 255 visible ASCII characters.');
}

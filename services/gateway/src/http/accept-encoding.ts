/**
 * Returns whether the Accept-Encoding header allows gzip (RFC 9110, 12.5.3). A malformed weight
 * counts as no.
 */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  let byWildcard = false;
  for (const offer of String(header ?? '').split(',')) {
    const [coding = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    if (coding === 'gzip' || coding === 'x-gzip') return isWanted(parameters);
    if (coding === '*') byWildcard = isWanted(parameters);
  }
  return byWildcard;
}

function isWanted(parameters: readonly string[]): boolean {
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  return weight === undefined || /^q\s*=\s*(?:1(?:\.0{0,3})?|0\.(?=\d*[1-9])\d{1,3})$/.test(weight);
}

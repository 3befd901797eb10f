// Variables whose values are neither secrets nor personal data.
const HARMLESS =
  /^(LOG_LEVEL|NODE_ENV|NODE_OPTIONS|GRPC_TLS|STREAM_REPLICAS|DATABASE_CONNECTIONS|RATE_LIMIT|OTEL_TRACES_SAMPLER(_ARG)?|\w+_(ADDRESS|LISTEN|FILE|DIR|MS|SECONDS|MINUTES|HOURS|DAYS|MB|MIB))$/;
const OURS = /^(PG\w+|NATS_\w+|REDIS_\w+|DATABASE_\w+|SMTP_\w+|CONSOLE_\w+|OTEL_\w+)$/;

/**
 * Returns the settings of an environment. Of a URL, only protocol and host are shown; of any other
 * variable that is not known to be harmless, only that it is set.
 */
export function redactSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  const shown = Object.entries(environment).flatMap(([name, value = '']): [string, string][] => {
    if (HARMLESS.test(name)) return [[name, value]];
    if (!OURS.test(name)) return [];
    return [[name, name.endsWith('_URL') ? hostsOf(value) : 'set']];
  });
  return Object.fromEntries(shown.toSorted(([a], [b]) => a.localeCompare(b)));
}

// Several URLs may be separated by commas.
function hostsOf(urls: string): string {
  return urls
    .split(',')
    .map((text) => URL.parse(text.trim()))
    .map((url) => (url === null ? 'not a URL' : `${url.protocol}//${url.host}`))
    .join(',');
}

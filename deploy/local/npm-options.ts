/**
 * Returns the arguments with the options that npm took as settings of its own, because `--` was
 * missing: `npm start --port 8090` arrives as the setting `port` and the argument 8090.
 */
export function withNpmOptions(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): string[] {
  const { npm_config_port: port, npm_config_reset: reset, npm_config_demo: demo } = environment;
  const before = port === 'true' ? ['--port'] : port ? ['--port', port] : [];
  return [...before, ...args, ...(reset === 'true' ? ['--reset'] : []), ...(demo === '' ? ['--no-demo'] : [])];
}

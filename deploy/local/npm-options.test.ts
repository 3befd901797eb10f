import { expect, it } from 'vitest';
import { withNpmOptions } from './npm-options.ts';

it.each([
  [['8090'], { npm_config_port: 'true', npm_config_reset: 'true' }, ['--port', '8090', '--reset']],
  [[], { npm_config_port: '8090', npm_config_demo: '' }, ['--port', '8090', '--no-demo']],
  [['--port', '8090'], {}, ['--port', '8090']],
])('returns options given without the separator: %j with %j', (args, environment, expected) => {
  expect(withNpmOptions(args, environment)).toEqual(expected);
});

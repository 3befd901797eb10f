import { expect, it } from 'vitest';
import { welcome } from './welcome.ts';

const stack = {
  gateway_url: 'http://127.0.0.1:8080',
  metrics_url: 'http://127.0.0.1:9090/metrics',
  database_url: 'postgres://127.0.0.1/survey',
  nats_url: 'nats://127.0.0.1:4222',
  redis_url: 'redis://127.0.0.1:6379',
  mail_dir: '/tmp/mail',
  account_admin_address: '127.0.0.1:50051',
  export_address: '127.0.0.1:50052',
  services: {},
  log_file: '/tmp/services.log',
  not_running: [],
};

it('names the next command when there is no demo account', () => {
  const text = welcome(stack, '/tmp');
  expect(text).toContain('http://127.0.0.1:8080/docs');
  expect(text).toContain('npx surveyctl account create --name "ACME GmbH" --with-keys --connect --url http://127.0.0.1:8080');
});

it('offers the web console only when it runs', () => {
  expect(welcome(stack, '/tmp')).not.toContain('console');
  expect(welcome({ ...stack, console_url: 'http://127.0.0.1:8081' }, '/tmp')).toContain('http://127.0.0.1:8081');
});

it('ends with what does not run, and why', () => {
  const not_running = [{ name: 'Redis', reason: 'pip could not install it' }];
  expect(welcome({ ...stack, not_running }, '/tmp')).toMatch(/\nDoes not run: +Redis, because pip could not install it\n$/);
});

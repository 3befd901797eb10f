import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Certificates for tests, made by openssl in `folder` as NAME.crt and NAME.key. */
export class TestCertificates {
  readonly #folder: string;
  readonly #validity: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;

  /** `environment` may move the clock by which they become valid. */
  constructor(folder: string, days = 2, environment: NodeJS.ProcessEnv = {}) {
    this.#folder = folder;
    this.#validity = ['-days', String(days)];
    this.#environment = { ...process.env, ...environment };
  }

  makeAuthority(name: string): void {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
    this.#openssl('req', '-x509', ...KEY, ...this.#validity, '-subj', `/CN=${name}`, ...files);
  }

  /** Makes a certificate for alternative names such as `DNS:localhost,IP:127.0.0.1`. */
  make(name: string, alternativeNames: string, authority = 'ca'): void {
    const extensions = ['extendedKeyUsage=serverAuth,clientAuth', `subjectAltName=${alternativeNames}`, ''];
    writeFileSync(join(this.#folder, 'extensions'), extensions.join('\n'));
    const signer = ['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
    this.#openssl('req', ...KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', 'request.csr');
    const signed = [...this.#validity, '-extfile', 'extensions', '-out', `${name}.crt`];
    this.#openssl('x509', '-req', '-in', 'request.csr', ...signer, ...signed);
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, env: this.#environment, stdio: 'pipe' });
  }
}

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const VALIDITY = ['-days', '2'];

/** Certificates for tests, made by openssl in `folder` as NAME.crt and NAME.key. */
export class TestCertificates {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  makeAuthority(name: string): void {
    this.#openssl('req', '-x509', ...KEY, ...VALIDITY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.crt`);
  }

  /** Makes a certificate for alternative names such as `DNS:localhost,IP:127.0.0.1`. */
  make(name: string, alternativeNames: string, authority = 'ca'): void {
    const extensions = ['extendedKeyUsage=serverAuth,clientAuth', `subjectAltName=${alternativeNames}`, ''];
    writeFileSync(join(this.#folder, 'extensions'), extensions.join('\n'));
    const signer = ['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
    this.#openssl('req', ...KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', 'request.csr');
    this.#openssl('x509', '-req', '-in', 'request.csr', ...signer, ...VALIDITY, '-extfile', 'extensions', '-out', `${name}.crt`);
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: 'pipe' });
  }
}

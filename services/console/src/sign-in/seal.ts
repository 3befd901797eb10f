import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface Seal {
  /** Encrypts a value, bound to its storage name. */
  seal(name: string, value: unknown): Buffer;
  /**
   * Returns the value, or undefined when it was modified, or sealed under an unknown key or another
   * name.
   */
  open(name: string, sealed: Buffer): unknown;
}

/** The first key seals; all keys open. Keys can thus be rotated without ending sessions. */
export function createSeal(keys: readonly Buffer[]): Seal {
  const [first] = keys;
  if (first === undefined) throw new Error('cannot seal: no key');
  return {
    seal: (name, value) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, first, iv).setAAD(Buffer.from(name));
      const body = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]);
    },
    open: (name, sealed) => {
      for (const key of keys) {
        const text = decrypt(key, name, sealed);
        if (text !== undefined) return JSON.parse(text);
      }
      return undefined;
    },
  };
}

function decrypt(key: Buffer, name: string, sealed: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

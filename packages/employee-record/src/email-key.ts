/** An address as it is stored: without surrounding white space (ruling M14). */
export function trimEmail(email: string): string {
  return email.trim();
}

/** An address as it is compared: two that differ in case only are one (ruling M09); a+b@x.io and a@x.io are two (M12). */
export function emailKey(email: string): string {
  // Composed again at the end: lower-casing may leave a letter decomposed that has a composed form.
  return email.trim().normalize('NFC').toLowerCase().normalize('NFC');
}

/** Whether it looks like name@host.domain. Others are accepted all the same, with a warning (ruling M13). */
export function isUsualEmail(email: string): boolean {
  return /^[^\s@]{1,64}@[^\s@]+\.[^\s@.]{2,}$/.test(email);
}

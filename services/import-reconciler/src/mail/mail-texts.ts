import type { ReasonLanguage } from '@survey/formats/import-reasons.ts';
import type { Counts } from '../apply/import-outcome.ts';

type GuardSetting = 'off' | 'strict';

interface MailTexts {
  readonly reference: (importUuid: string) => string;
  readonly failed: Ending;
  readonly cancelled: Ending;
  // Before what was noticed about the snapshot as a whole.
  readonly noticed: string;
  // Before the link that ends the mails.
  readonly stop: string;
  readonly confirm: {
    readonly subject: string;
    readonly asked: (account: string) => string;
    readonly open: string;
    readonly ignore: string;
  };
  readonly applied: {
    readonly applied: (at: string) => string;
    readonly warningSubject: string;
    readonly others: string;
    readonly skippedSubject: (count: number) => string;
    readonly identitySubject: (count: number) => string;
    readonly skipped: (count: number, at: string) => string;
    readonly identity: (count: number, at: string) => string;
    readonly counts: (counts: Counts) => string;
    readonly erased: string;
    readonly more: (count: number) => string;
    readonly advice: string;
  };
  readonly schedule: {
    readonly lateSubject: string;
    readonly late: (by: string) => string;
    readonly lateAdvice: string;
    readonly resumedSubject: string;
    readonly resumed: string;
  };
  readonly keyExpiry: {
    readonly subject: (day: string) => string;
    readonly expires: (name: string, scope: string, at: string) => string;
    readonly advice: string;
  };
  readonly guard: {
    readonly subject: (guard: GuardSetting) => string;
    readonly set: (guard: GuardSetting, at: string) => string;
    readonly strict: (hours: number) => string;
    readonly off: string;
    readonly readBefore: string;
    readonly reference: (version: number) => string;
  };
}

interface Ending {
  readonly subject: string;
  readonly opening: (at: string) => string;
  readonly advice: string;
}

export const MAIL_TEXTS: Readonly<Record<ReasonLanguage, MailTexts>> = {
  en: {
    reference: (importUuid) => `Reference: ${importUuid}`,
    failed: {
      subject: 'Employee import failed',
      opening: (at) => `The import accepted at ${at} failed because of a fault of the service. Nothing was changed.`,
      advice: 'Send the snapshot again. If it fails again, contact support with the reference below.',
    },
    cancelled: {
      subject: 'Employee import cancelled: nothing was changed',
      opening: (at) => `The import accepted at ${at} was cancelled:`,
      advice:
        'Nothing was changed. If the snapshot is wrong, correct the data in the HR system and send it again. If so many employees have really left, an admin can allow this import once.',
    },
    noticed: 'What stands out in the snapshot:',
    stop: 'You get this mail because you confirmed this address. To get no more mails about imports, open this link:',
    confirm: {
      subject: 'Employee imports: please confirm your address',
      asked: (account) =>
        `Somebody who administers the account “${account}” would like you to get the mails about its employee imports: when an import is cancelled, fails or skips records, when no snapshot comes, and when the identities of employees look mixed up.`,
      open: 'If you want these mails, open this link within 48 hours and confirm:',
      ignore: 'Otherwise ignore this mail. You will not get any others.',
    },
    applied: {
      applied: (at) => `The import accepted at ${at} was applied. Please check what stood out in it.`,
      warningSubject: 'Employee import: please check the snapshot',
      others: 'Applied records with other warnings:',
      skippedSubject: (count) => `Employee import: ${employees(count)} skipped`,
      identitySubject: (count) => `Employee import: please check ${count === 1 ? '1 identity' : `${count} identities`}`,
      skipped: (count, at) =>
        `${employees(count)} skipped by the import accepted at ${at}. Skipped employees are unchanged; all other records were applied.`,
      identity: (count, at) =>
        `${count === 1 ? '1 record' : `${count} records`} of the import accepted at ${at} may be about another person than before:`,
      counts: ({ created, updated, unchanged, reactivated, offboarded, skipped }) =>
        `created ${created}, updated ${updated}, unchanged ${unchanged}, reactivated ${reactivated}, offboarded ${offboarded}, skipped ${skipped}`,
      erased: 'an erased employee',
      more: (count) => `and ${count} more`,
      advice: 'Correct the records in the HR system. The next snapshot is applied in full again.',
    },
    schedule: {
      lateSubject: 'Employee import: no snapshot came',
      late: (by) => `No snapshot of your employees came, although one was expected by ${by}.`,
      lateAdvice:
        'Nothing was changed. Check the job that sends the snapshots. One more mail follows when a snapshot comes again.',
      resumedSubject: 'Employee import: snapshots come again',
      resumed: 'A snapshot of your employees came again.',
    },
    keyExpiry: {
      subject: (day) => `API key expires on ${day}`,
      expires: (name, scope, at) =>
        `The API key "${name}" (${scope}) expires at ${at}. From then on, requests that carry it are rejected with 401.`,
      advice:
        'If a system still uses the key, rotate it: you get a new key of the same scope, and the old one keeps working for up to a week until you have replaced it. If nothing uses it any more, you need not do anything.',
    },
    guard: {
      subject: (guard) => `Disclosure guard: ${guard}`,
      set: (guard, at) => `The disclosure guard of your account was set to ${guard} at ${at}.`,
      strict: (hours) =>
        `Scores and texts are released for whole survey cycles, ${hours} hours after they close, so that comparing requests reveals no group below the anonymity threshold.`,
      off: 'Each request is judged alone: comparing requests can reveal single answers.',
      readBefore: 'Results that were read before cannot be withdrawn.',
      reference: (version) => `The audit log names who made the change. Reference: version ${version} of the settings`,
    },
  },
  de: {
    reference: (importUuid) => `Kennung: ${importUuid}`,
    failed: {
      subject: 'Import der Beschäftigten fehlgeschlagen',
      opening: (at) => `Der Import vom ${at} ist an einer Störung des Dienstes gescheitert. Es wurde nichts geändert.`,
      advice: 'Senden Sie den Bestand erneut. Schlägt er wieder fehl, nennen Sie dem Support die Kennung unten.',
    },
    cancelled: {
      subject: 'Import der Beschäftigten abgebrochen: nichts wurde geändert',
      opening: (at) => `Der Import vom ${at} wurde abgebrochen:`,
      advice:
        'Es wurde nichts geändert. Ist der Bestand falsch, berichtigen Sie die Daten im Personalsystem und senden Sie ihn erneut. Sind wirklich so viele Beschäftigte ausgeschieden, kann ein Admin diesen Import einmalig zulassen.',
    },
    noticed: 'Auffällig am Bestand:',
    stop: 'Sie erhalten diese E-Mail, weil Sie diese Adresse bestätigt haben. Möchten Sie keine E-Mails über Importe mehr, öffnen Sie diesen Link:',
    confirm: {
      subject: 'Importe der Beschäftigten: Bitte bestätigen Sie Ihre Adresse',
      asked: (account) =>
        `Sie sollen für das Konto „${account}“ E-Mails über den Import der Beschäftigten erhalten: wenn ein Import abgebrochen wird, fehlschlägt oder Datensätze überspringt, wenn kein Bestand kommt und wenn Identitäten vertauscht scheinen.`,
      open: 'Möchten Sie diese E-Mails, öffnen Sie innerhalb von 48 Stunden diesen Link und bestätigen Sie:',
      ignore: 'Andernfalls brauchen Sie nichts zu tun: Sie erhalten keine weiteren E-Mails.',
    },
    applied: {
      applied: (at) => `Der Import vom ${at} wurde angewendet. Bitte prüfen Sie, was daran aufgefallen ist.`,
      warningSubject: 'Import der Beschäftigten: Bitte prüfen Sie den Bestand',
      others: 'Mit anderen Hinweisen angewendete Datensätze:',
      skippedSubject: (count) => `Import der Beschäftigten: ${datensaetze(count)} übersprungen`,
      identitySubject: (count) =>
        `Import der Beschäftigten: bitte ${count === 1 ? '1 Identität' : `${count} Identitäten`} prüfen`,
      skipped: (count, at) =>
        `Der Import vom ${at} hat ${datensaetze(count)} übersprungen. An diesen Beschäftigten hat sich nichts geändert; alle anderen Datensätze wurden angewendet.`,
      identity: (count, at) =>
        `${datensaetze(count)} im Import vom ${at} ${count === 1 ? 'betrifft' : 'betreffen'} womöglich eine andere Person als zuvor:`,
      counts: ({ created, updated, unchanged, reactivated, offboarded, skipped }) =>
        `angelegt ${created}, geändert ${updated}, unverändert ${unchanged}, reaktiviert ${reactivated}, ausgeschieden ${offboarded}, übersprungen ${skipped}`,
      erased: 'eine gelöschte Person',
      more: (count) => `und ${count} weitere`,
      advice: 'Berichtigen Sie die Datensätze im Personalsystem. Der nächste Bestand wird wieder vollständig angewendet.',
    },
    schedule: {
      lateSubject: 'Import der Beschäftigten: Es kam kein Bestand',
      late: (by) => `Es kam kein Bestand Ihrer Beschäftigten, obwohl einer bis ${by} erwartet wurde.`,
      lateAdvice:
        'Es wurde nichts geändert. Prüfen Sie den Job, der die Bestände sendet. Sobald wieder einer kommt, folgt noch eine E-Mail.',
      resumedSubject: 'Import der Beschäftigten: Bestände kommen wieder',
      resumed: 'Es kam wieder ein Bestand Ihrer Beschäftigten.',
    },
    keyExpiry: {
      subject: (day) => `API-Schlüssel läuft am ${day} ab`,
      expires: (name, scope, at) =>
        `Der API-Schlüssel „${name}“ (${scope}) läuft am ${at} ab. Anfragen mit diesem Schlüssel werden danach mit 401 abgelehnt.`,
      advice:
        'Wenn noch ein System den Schlüssel verwendet, erneuern Sie ihn: Sie bekommen einen neuen Schlüssel mit denselben Rechten, und der alte gilt bis zu einer Woche weiter, bis Sie ihn ausgetauscht haben. Wird er nicht mehr verwendet, brauchen Sie nichts zu tun.',
    },
    guard: {
      subject: (guard) => `Schutz vor Rückschlüssen: ${guard === 'strict' ? 'streng' : 'aus'}`,
      set: (guard, at) =>
        `Der Schutz vor Rückschlüssen Ihres Kontos wurde am ${at} auf „${guard === 'strict' ? 'streng' : 'aus'}“ gestellt.`,
      strict: (hours) =>
        `Ergebnisse und Texte werden für ganze Umfragezyklen freigegeben, ${hours} Stunden nach deren Ende, sodass auch der Vergleich von Abfragen nichts über Gruppen unter der Anonymitätsschwelle verrät.`,
      off: 'Jede Abfrage wird für sich geprüft: Wer Abfragen vergleicht, kann einzelne Antworten erfahren.',
      readBefore: 'Ergebnisse, die schon abgerufen wurden, lassen sich nicht zurückholen.',
      reference: (version) => `Wer ihn geändert hat, steht im Protokoll. Kennung: Version ${version} der Einstellungen`,
    },
  },
};

const employees = (count: number): string => (count === 1 ? '1 employee was' : `${count} employees were`);
const datensaetze = (count: number): string => (count === 1 ? '1 Datensatz' : `${count} Datensätze`);

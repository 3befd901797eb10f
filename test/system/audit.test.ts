import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AUDIT_ACTIONS } from '@survey/account-admin/write-audit.ts';
import { LANGUAGES } from '@survey/console/texts/languages.ts';
import { MIGRATIONS_FOLDER } from '@survey/postgres/schema-compatibility.ts';
import { afterAll, expect, it } from 'vitest';
import { startTestConsole } from '../support/console.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { textOperatorAt } from '../support/topics.ts';

const { stack, operator, importAndWait } = await startFileStack();
const web = await startTestConsole(stack, operator);
afterAll(() => web[Symbol.asyncDispose]());
const CALL = { caller: { requestId: 'test' }, deadlineMs: 10_000 };

it.each(Object.entries(LANGUAGES))('the console has words in %s for every action of the audit', (_, { audit }) => {
  expect(Object.keys(audit.actions).toSorted()).toEqual(AUDIT_ACTIONS.toSorted());
});

// Actions that migrations record from within the database, without a call of account-admin.
const migrations = await Promise.all(
  (await readdir(MIGRATIONS_FOLDER)).map((file) => readFile(join(MIGRATIONS_FOLDER, file), 'utf8')),
);
const recorded = [...migrations.join('\n').matchAll(/'service', '([a-z.-]+)'/g)].map(([, action]) => action);

it('the database records no other action', () => {
  expect(recorded.length).toBeGreaterThan(1);
  expect(AUDIT_ACTIONS).toEqual(expect.arrayContaining(recorded));
});

it('records a change of topics once, with its outcome, and the console says it in words', async () => {
  const account = await operator.createAccount();
  const { accountId: account_id } = account;
  const topics = textOperatorAt(stack)(account_id);
  for (const name of ['Pay', 'Canteen']) await topics.createTopic({ name, keywords: {} });
  await expect(topics.renameTopic({ topic: 'Pay', name: 'Canteen' })).rejects.toThrow(/./);
  await topics.renameTopic({ topic: 'Pay', name: 'Salary' });
  const { entries } = await operator.admin.listAudit({ account_id, action: 'topic.rename' }, CALL);
  expect(entries.map(({ outcome, rejection }) => [outcome, rejection])).toEqual([
    ['done', null],
    ['rejected', 'name_taken'],
  ]);
  await web.bind(account_id);
  await importAndWait(account, [R(0, { email: 'auditor@x.io', role: 'Admin' }), ...records(1, 3)]);
  const client = await web.signIn({ id: 'auditor', name: 'A', email: 'auditor@x.io' });
  const { text } = await client.get(`/a/${account_id}/audit`);
  expect(text).toMatch(/Topic renamed <b>\(rejected\)<\/b>/);
  expect(text).toContain('Another topic had this name');
  expect(text).not.toMatch(/topic\.rename|name_taken/);
});

it('says in words of each language what was changed, whatever it was', async () => {
  const site = { attributes: [{ name: 'Site', value: { name: 'Berlin' } }] };
  const person = { id: 'reader', name: 'Reader', email: 'reader@x.io' };
  const account = await operator.createAccount();
  const { accountId: account_id } = account;
  const { admin } = operator;
  const call = { caller: { requestId: 'test', actor: 'jo', reason: 'Ticket 4711' }, deadlineMs: 20_000 };
  const employee = { employee_id: null, import_id: 'E2', email: null };
  await web.bind(account_id);
  const others = ['Rome', 'Lyon'].map((name, n) => R(10 + n, { attributes: [{ name: 'Site', value: { name } }] }));
  const snapshot = [R(0, { email: person.email, role: 'Admin', ...site }), ...records(1, 9), ...others];
  const { importUuid } = await importAndWait(account, snapshot);
  const client = await web.signIn(person);
  const topics = textOperatorAt(stack)(account_id);

  await admin.noteAudit({ account_id, action: 'account.enter', what: '' }, call);
  await admin.noteAudit({ account_id, action: 'dry-run', what: 'cancelled, 3000' }, call);
  await admin.connectIntegration({ account_id, default_language: 'de', deletion_threshold: '12.5', on_return: 'reset' }, call);
  await admin.setSettings(
    {
      account_id,
      masking_categories: { names: ['name', 'phone'] },
      masking_entitled: true,
      masking: true,
      text_filter_attribute: 'Site',
      categorisation: true,
    },
    call,
  );
  await admin.setSettings(
    {
      account_id,
      masking_categories: null,
      notices_off: { kinds: ['cancelled', 'late'] },
      import_schedule: 'daily',
      import_schedule_hour: 6,
      disclosure_guard: 'strict',
      erased_answers: 'delete',
      max_key_days: 1_000,
    },
    call,
  );
  await admin.setSettings({ account_id, masking_categories: null, retain_answers_days: 1_000 }, call);
  await admin.releaseAttribute({ account_id, name: 'Site' }, call);
  const { key_id } = await admin.createKey({ account_id, scope: 'read:scores', name: 'Power BI' }, call);
  const rotated = await admin.rotateKey({ account_id, key_id, grace_seconds: 3_600 }, call);
  await admin.revokeKey({ account_id, key_id: rotated.key_id }, call);
  await admin.inviteAdmin({ account_id, email: 'new@x.io' }, call);
  await admin.withdrawInvitation({ account_id, email: 'new@x.io' }, call);
  await admin.exportEmployee({ account_id, employee }, call);
  await admin.eraseEmployee({ account_id, employee, dry_run: false, may_return: false }, call);
  await topics.createTopic({ name: 'Pay', keywords: {} });
  await topics.renameTopic({ topic: 'Pay', name: 'Salary' });
  await topics.setTopicKeywords({ topic: 'Salary', language: 'de', words: ['Gehalt', 'Lohn'] });
  await topics.setTopicActive({ topic: 'Salary', is_active: false });
  await topics.rebuildText({ stage: 'mask' });
  await topics.retryText({ stage: 'mask' });
  await topics.createTopic({ name: 'Canteen', keywords: {} });
  await topics.mergeTopics({ topic: 'Salary', into: 'Canteen' });
  // Of an account without texts, this is rejected, and recorded as such.
  const canteen = (await topics.listTopics({})).topics.find(({ name }) => name === 'Canteen');
  const answers = `/a/${account_id}/topics/${canteen?.topic_id}/answers`;
  expect(await client.submit(answers, answers, { answer: '1', into: 'none' })).toMatchObject({ status: 422 });
  const tries = [
    () => topics.withholdAnswer({ handle: '1', is_withheld: true, reason: 'names a colleague' }),
    () => topics.withholdAnswer({ handle: '1', is_withheld: false, reason: 'named nobody' }),
    () => topics.rollBackTopicModel({ version: 1 }),
    () => admin.allowDeletes({ account_id, import_uuid: importUuid, reason: 'site sold' }, call),
  ];
  for (const reject of tries) await expect(reject()).rejects.toThrow(/./);
  const change = { account_id, attribute: 'Site', maps_old_name: true, preview: false };
  await admin.changeAttributeValue({ ...change, value: 'Berlin', new_name: 'Bonn' }, call);
  await admin.changeAttributeValue({ ...change, value: 'Rome', new_name: 'Lyon', maps_old_name: false }, call);
  await admin.withdrawAttribute({ account_id, name: 'Site' }, call);
  await admin.showAccess({ account_id, import_id: 'E3' }, call);
  await admin.showEmployee({ account_id, import_id: 'E3' }, call);
  await admin.eraseEmployee({ account_id, employee: { ...employee, import_id: 'E3' }, dry_run: true, may_return: false }, call);
  async function* keys() {
    yield { head: { account_id, by_email: false, dry_run: true, expected_plan: Buffer.alloc(0), rows: 1 } };
    yield { rows: { rows: [{ line: 1, key: 'E4', new_import_id: 'N4' }] } };
  }
  await admin.rekeyEmployees(keys(), call);
  const { id } = await admin.addNoticeAddress({ account_id, email: 'team@x.io', language: 'de' }, call);
  await admin.removeNoticeAddress({ account_id, id }, call);
  await admin.disconnectIntegration({ account_id }, call);
  for (const action of ['download', 'sign-in.again', 'sign-in.again.rejected', 'sign-out', 'sign-out.provider'])
    await admin.noteAudit({ account_id, action, what: action === 'download' ? 'audit.csv' : '' }, call);
  await admin.deleteAccount({ account_id, name: 'Test', after_seconds: 30 * 86_400, force: true }, call);
  await admin.cancelAccountDeletion({ account_id }, call);

  const sentences = async (language: string): Promise<string[]> => {
    const { text } = await client.get(`/a/${account_id}/audit?action=all`, { 'Accept-Language': language });
    const plain = (cell: string): string =>
      cell
        .replaceAll(/<br ?\/>/g, ' | ')
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/\d+\.? \S+ \d{4}, \d\d:\d\d UTC/g, 'DAY')
        .replaceAll(/eng_live_\w+/g, 'KEY')
        .replaceAll(/(?<=(?:employee id|nummer): )\d+/g, 'ID')
        .trim();
    return [...text.matchAll(/data-label="Wh?a[st]">([^]*?)<\/td>/g)].map(([, cell = '']) => plain(cell));
  };
  const words = {
    en: [
      'Deletion of the account cancelled | was due on: DAY',
      'Deletion of the account requested | takes effect after: 30 days',
      'Signed out by the provider',
      'Signed out',
      'Signing in again was rejected: another user',
      'Signed in again for a change that cannot be undone',
      'File downloaded | audit.csv',
      'Integration disconnected',
      'Address for mails about imports removed',
      'Address asked to confirm mails about imports',
      'import_ids changed, for example after a change of the HR system | rows: 1; only tried: yes',
      'Erasure of an employee previewed | employee id: ID',
      'Employee viewed | employee id: ID',
      'Rights of an employee viewed | employee id: ID',
      'Attribute withdrawn | name: Site',
      'Values of an attribute merged | imports may still send the old name: no',
      'Value of an attribute renamed | imports may still send the old name: yes',
      'Import allowed once above the threshold (rejected) | import of: DAY',
      'Learning rolled back (rejected)',
      'Answer released again (rejected)',
      'Answer withheld (rejected)',
      'Texts reassigned to another topic (rejected) | topic: Canteen; texts: 1',
      'Topics merged | topic: Salary; into: Canteen',
      'Topic created | name: Canteen',
      'Texts retried | step: Masking',
      'Texts queued again | step: Masking',
      'Topic activated or deactivated | topic: Salary; active: no',
      'Keywords changed | topic: Salary; language: German; keywords: Gehalt and Lohn',
      'Topic renamed | topic: Pay; name: Salary',
      'Topic created | name: Pay',
      'Erasure of an employee requested | employee id: ID; answers: deleted',
      'Data of an employee exported | employee id: ID',
      'Invitation withdrawn',
      'Admin invited | ends: DAY',
      'Key revoked | name: Power BI; begins with: KEY',
      'Key rotated | name: Power BI; begins with: KEY → KEY; old key ends: In 1 hour',
      'Key created | name: Power BI; scope: read:scores; begins with: KEY',
      'Attribute released | name: Site',
      'Settings changed | Answers and texts of a closed cycle: 1,000 days',
      'Settings changed | no mail when: an import was cancelled and no snapshot came in time, and when one comes again; expected snapshots: every day; by hour (UTC): 6; disclosure guard: Off → Strict; disclosure guard decided: no → yes; answers of erased employees: kept → deleted',
      'Settings changed | masking: Off → On; entitlement to masking: no → yes; masked: Names, E-mail addresses, Phone numbers, Postal addresses and Identification numbers → Names and Phone numbers; filter for texts: Site; topics and sentiment: Off → On',
      'Integration connected or changed | deletion threshold: 20% → 12.5%; rights on return: as before → none',
      'Dry run | Cancelled, 3,000 records',
      'Account viewed by an operator',
    ],
    de: [
      'Löschung des Kontos zurückgenommen | war fällig am: DAY',
      'Löschung des Kontos verlangt | Frist: 30 Tage',
      'Vom Anbieter abgemeldet',
      'Abgemeldet',
      'Erneute Anmeldung abgelehnt: andere Person',
      'Für eine unwiderrufliche Änderung erneut angemeldet',
      'Datei abgerufen | audit.csv',
      'Integration getrennt',
      'Adresse für E-Mails über Importe entfernt',
      'Adresse um Bestätigung für E-Mails über Importe gebeten',
      'import_ids geändert, etwa nach einem Wechsel des Personalsystems | Zeilen: 1; nur ausprobiert: ja',
      'Vorschau der Löschung einer Person angesehen | Beschäftigtennummer: ID',
      'Person angesehen | Beschäftigtennummer: ID',
      'Rechte einer Person angesehen | Beschäftigtennummer: ID',
      'Freigabe eines Attributs zurückgenommen | Name: Site',
      'Werte eines Attributs zusammengeführt | Importe dürfen den alten Namen noch senden: nein',
      'Wert eines Attributs umbenannt | Importe dürfen den alten Namen noch senden: ja',
      'Import über der Schwelle einmalig zugelassen (abgelehnt) | Import vom: DAY',
      'Gelerntes zurückgesetzt (abgelehnt)',
      'Antwort wieder freigegeben (abgelehnt)',
      'Antwort zurückgehalten (abgelehnt)',
      'Texte einem anderen Thema zugeordnet (abgelehnt) | Thema: Canteen; Texte: 1',
      'Themen zusammengeführt | Thema: Salary; neues Thema: Canteen',
      'Thema angelegt | Name: Canteen',
      'Verarbeitung von Texten wiederholt | Schritt: Maskierung',
      'Texte zur erneuten Verarbeitung vorgemerkt | Schritt: Maskierung',
      'Thema aktiviert oder deaktiviert | Thema: Salary; aktiv: nein',
      'Stichwörter geändert | Thema: Salary; Sprache: Deutsch; Stichwörter: Gehalt und Lohn',
      'Thema umbenannt | Thema: Pay; Name: Salary',
      'Thema angelegt | Name: Pay',
      'Löschung einer Person verlangt | Beschäftigtennummer: ID; Antworten: gelöscht',
      'Daten einer Person abgerufen | Beschäftigtennummer: ID',
      'Einladung zurückgezogen',
      'Admin eingeladen | Ende: DAY',
      'Schlüssel widerrufen | Name: Power BI; beginnt mit: KEY',
      'Schlüssel erneuert | Name: Power BI; beginnt mit: KEY → KEY; Ende des alten Schlüssels: In 1 Stunde',
      'Schlüssel angelegt | Name: Power BI; Umfang: read:scores; beginnt mit: KEY',
      'Attribut freigegeben | Name: Site',
      'Einstellungen geändert | Antworten und Texte eines beendeten Zyklus: 1.000 Tage',
      'Einstellungen geändert | keine E-Mail, wenn: ein Import abgebrochen wurde und kein Bestand rechtzeitig kam, und wenn wieder einer kommt; erwartete Bestände: jeden Tag; bis Stunde (UTC): 6; Schutz vor Rückschlüssen: Aus → Streng; über Schutz vor Rückschlüssen entschieden: nein → ja; Antworten gelöschter Personen: behalten → gelöscht',
      'Einstellungen geändert | Maskierung: Aus → An; Berechtigung zur Maskierung: nein → ja; maskiert: Namen, E-Mail-Adressen, Telefonnummern, Postanschriften und Kennnummern → Namen und Telefonnummern; Filter für Texte: Site; Themen und Stimmung: Aus → An',
      'Integration verbunden oder geändert | Löschschwelle: 20 % → 12,5 %; Rechte bei Rückkehr: wie zuvor → keine',
      'Probelauf | Abgebrochen, 3.000 Datensätze',
      'Konto vom Betreiber angesehen',
    ],
  };
  for (const [language, expected] of Object.entries(words)) {
    const all = await sentences(language);
    expect(all.filter((each) => !/^Employee erased|^Person gelöscht/.test(each)).slice(0, expected.length)).toEqual(expected);
  }
  const { entries } = await admin.listAudit({ account_id, limit: 1_000 }, CALL);
  const called = entries.map(({ action }) => action);
  // Of links in mails and of the work of deletion: entries with an id at most.
  const alone = ['account.close', 'account.deleted', 'notice.confirm', 'notice.stop'];
  expect(new Set([...called, ...recorded, ...alone])).toEqual(new Set(AUDIT_ACTIONS));
  const { text } = await client.get(`/a/${account_id}/keys`, { 'Accept-Language': 'de' });
  expect(text).toMatch(/\d{4}, Betreiber/);
});

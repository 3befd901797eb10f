import { readdir, readFile } from 'node:fs/promises';
import { AUDIT_ACTIONS } from '@survey/account-admin/audit/write-audit.ts';
import { LANGUAGES } from '@survey/console/texts/languages.ts';
import { MIGRATIONS_FOLDER } from '@survey/postgres/migrations.ts';
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

it('the database records no other action', async () => {
  const files = await readdir(MIGRATIONS_FOLDER);
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, `file://${MIGRATIONS_FOLDER}/`), 'utf8')));
  const recorded = [...texts.join('\n').matchAll(/'service', '([a-z.-]+)'/g)].map(([, action]) => action);
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
  await importAndWait(account, [R(0, { email: person.email, role: 'Admin', ...site }), ...records(1, 9)]);
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
      'Dry run | Cancelled, 3000',
      'Account viewed by an operator',
    ],
    de: [
      'Löschung des Kontos zurückgenommen | war fällig am: DAY',
      'Löschung des Kontos verlangt | Frist: 30 Tage',
      'Texte neu eingereiht | Schritt: Maskierung',
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
      'Probelauf | Abgebrochen, 3000',
      'Konto vom Betreiber angesehen',
    ],
  };
  for (const [language, expected] of Object.entries(words)) {
    const all = await sentences(language);
    expect(all.filter((each) => !/^Employee erased|^Person gelöscht/.test(each)).slice(0, expected.length)).toEqual(expected);
  }
  const { text } = await client.get(`/a/${account_id}/keys`, { 'Accept-Language': 'de' });
  expect(text).toMatch(/\d{4}, Betreiber/);
});

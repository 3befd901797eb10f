import { describe, expect, test } from 'vitest';
import { embeddedMasker, withoutNumberedThings } from './embedded-masker.ts';
import { maskText } from './mask-text.ts';
import { PERSONAL_CATEGORIES, type PersonalCategory } from './masker.ts';
import { Roster } from './roster.ts';

const NOBODY = new Roster();

async function mask(
  text: string,
  language = 'en',
  roster = NOBODY,
  categories: readonly PersonalCategory[] = PERSONAL_CATEGORIES,
): Promise<string> {
  return maskText(text, await embeddedMasker.find({ text, language, roster, categories: new Set(categories) }));
}

describe('names', () => {
  test.each(['en', 'de', 'fr', 'es', 'nl', 'da', 'sv', 'pt'])(
    'are no English words in lower case, in an answer in %s',
    async (language) => {
      expect(await mask('the canteen is fine, the art is nice', language)).toBe('the canteen is fine, the art is nice');
      expect(await mask('the best one is katarzyna', language)).toBe('the best one is [NAME]');
    },
  );

  test.each([
    ['en', 'My manager Xochitl never listens.', 'My manager [NAME] never listens.'],
    ['en', 'Thanks to Anna-Maria O’Brien, PhD for all.', 'Thanks to [NAME] for all.'],
    ['en', 'thanks to anna for the help', 'thanks to [NAME] for the help'],
    ['en', 'I met J. R. Whitfield there', 'I met [NAME] there'],
    ['en', 'my supervisor jildau is late, kudos to nobuto', 'my supervisor [NAME] is late, kudos to [NAME]'],
    ['en', 'The way Birgisdóttir talks to us', 'The way [NAME] talks to us'],
    ['de', 'Frau van der Berg hat recht.', 'Frau [NAME] hat recht.'],
    ['de', 'Mein Kollege Thorsten Müller-Lüdenscheidt hilft immer.', 'Mein Kollege [NAME] hilft immer.'],
    ['fr', "L'équipe de Mme Lefèvre est bien, merci à Julien.", "L'équipe de Mme [NAME] est bien, merci à [NAME]."],
    ['es', 'Mi jefa María Fernández no contesta.', 'Mi jefa [NAME] no contesta.'],
    ['nl', 'Mijn collega Sanne van den Heuvel helpt altijd.', 'Mijn collega [NAME] helpt altijd.'],
    ['en', 'We told Young Kim about it, so ask J. Hill in payroll.', 'We told [NAME] about it, so ask [NAME] in payroll.'],
    ['en', 'My manager is Grace Park, and Sarah Park helps.', 'My manager is [NAME], and [NAME] helps.'],
    ['en', 'Ask Nguyen Thi Mai in payroll, or Li Wei if she is away.', 'Ask [NAME] in payroll, or [NAME] if she is away.'],
    ['de', 'Der neue Chef (Krause) ist unfair.', 'Der neue Chef ([NAME]) ist unfair.'],
    ['nl', 'Ik bel dhr. De Vries en mevr. van der Wardt.', 'Ik bel dhr. [NAME] en mevr. [NAME].'],
    ['es', 'mi jefa ana grita mucho', 'mi jefa [NAME] grita mucho'],
    ['de', 'Wir haben es Ernst Lange gemeldet, nicht Weber/Schmidt.', 'Wir haben es [NAME] gemeldet, nicht [NAME]/[NAME].'],
    ['es', 'Ángel Bravo no escucha, Cruz Blanco nunca.', '[NAME] no escucha, [NAME] nunca.'],
    ['en', 'My lead is Raja Krishnamoorthi.', 'My lead is [NAME].'],
    ['en', 'I report to Grace Park, and Will Young made the rota.', 'I report to [NAME], and [NAME] made the rota.'],
    ['en', 'I asked Will Young. HR sent me to Wu Min.', 'I asked [NAME]. HR sent me to [NAME].'],
    ['en', 'i report to sara jenkins, not to HR', 'i report to [NAME], not to HR'],
    ['en', 'since priya joined the mood is better', 'since [NAME] joined the mood is better'],
    ['en', 'Tremlett from finance refuses my claims.', '[NAME] from finance refuses my claims.'],
    ['en', 'Olga & Beth run the shift. Regards, Xochitl', '[NAME] & [NAME] run the shift. Regards, [NAME]'],
    ['es', 'Álvaro (almacén) y Rosario Luna de recepción ayudan.', '[NAME] (almacén) y [NAME] de recepción ayudan.'],
    ['de', 'Björns Sprüche gefallen mir. Gruß Heike', '[NAME] Sprüche gefallen mir. Gruß [NAME]'],
    ['de', 'Der Mirko hilft, ich arbeite mit dem Thomas.', 'Der [NAME] hilft, ich arbeite mit dem [NAME].'],
    ['de', 'Frau A. Schneider und B. Wolf, mit K. Koch.', 'Frau [NAME] und [NAME], mit [NAME].'],
    ['de', 'B. Wolf hört nie zu.', '[NAME] hört nie zu.'],
    ['de', 'Unser Chef Lange hört nie zu.', 'Unser Chef [NAME] hört nie zu.'],
    ['nl', 'Sannes rooster klopt niet.', '[NAME] rooster klopt niet.'],
    [
      'en',
      'Morale is up since Okonjo joined, because Featherby listens.',
      'Morale is up since [NAME] joined, because [NAME] listens.',
    ],
    ['en', 'Will helps everyone. Mark works hard.', '[NAME] helps everyone. [NAME] works hard.'],
    [
      'en',
      'April said no again. Bill shouted at me. Hope told us.',
      '[NAME] said no again. [NAME] shouted at me. [NAME] told us.',
    ],
    ['en', 'They moved to Ann Smith’s team; Ann Smith moved to us.', 'They moved to [NAME]’s team; [NAME] moved to us.'],
    ['es', 'Dolores me gritó. Consuelo no contesta.', '[NAME] me gritó. [NAME] no contesta.'],
    ['en', 'People in Lincoln Baker’s team left.', 'People in [NAME]’s team left.'],
    ['pl', 'Bez Magdy nic nie działa.', 'Bez [NAME] nic nie działa.'],
    [
      'nl',
      'Jan hat am 3. Mai gekündigt. Jan werkt hier sinds mei 2019.',
      '[NAME] hat am 3. Mai gekündigt. [NAME] werkt hier sinds mei 2019.',
    ],
    ['es', 'Leo el jefe grita. Leo hizo un informe.', '[NAME] el jefe grita. [NAME] hizo un informe.'],
    ['en', 'Sinéad O’Connor and Leilani Kahoʻokele left.', '[NAME] and [NAME] left.'],
    ['en', 'Leilani Kalaniʻōpuʻu moved. Ask Sunil/Xochi first.', '[NAME] moved. Ask [NAME]/[NAME] first.'],
    ['en', 'Working with Rob and Shaz is fun.', 'Working with [NAME] and [NAME] is fun.'],
    ['en', 'Clark Field and June Rivers share.', '[NAME] and [NAME] share.'],
    ['en', '>Lotte van den Bogaert\n>Underwood Group\n>Suite', '>[NAME]\n>Underwood Group\n>Suite'],
    ['en', 'Return it to Anna and Archkogl 67.', 'Return it to [NAME] and Archkogl 67.'],
    ['de', 'Mein Chef Jürgen Schäfer hilft, Heikes Pläne auch.', 'Mein Chef [NAME] hilft, [NAME] Pläne auch.'],
    ['es', 'Pregunta a Ainhoa. mi jefa es Chus.', 'Pregunta a [NAME]. mi jefa es [NAME].'],
    ['es', 'mi jefa es lucía romero', 'mi jefa es [NAME]'],
    ['nl', 'Ik heet Annelies Mulder, hij is Willem de Bruin.', 'Ik heet [NAME], hij is [NAME].'],
    ['en', "Liʻa Kealoha trained us, Ka'imi Kealoha too.", '[NAME] trained us, [NAME] too.'],
    ['fr', "Fatou N'Guessan signe, Luc d'Aubigny jamais.", '[NAME] signe, [NAME] jamais.'],
    ['nl', 'Joost van ’t Zand is ziek.', '[NAME] is ziek.'],
    ['de', 'H.-P. Obersteller ist weg, R. J. Quintoro auch.', '[NAME] ist weg, [NAME] auch.'],
    ['en', 'Park Min-seo and Yu-na Kim left; ask Xu Jiawei.', '[NAME] and [NAME] left; ask [NAME].'],
    ['en', 'Tremlettson ignores us. Quintoro forgets all.', '[NAME] ignores us. [NAME] forgets all.'],
    ['de', 'Ernst Sommer beantwortet nichts.', '[NAME] beantwortet nichts.'],
    ['nl', 'Wijnschenkel belooft veel.', '[NAME] belooft veel.'],
    ['es', 'Sin Xochilan Quetzpal nada va.', 'Sin [NAME] nada va.'],
    ['de', 'Mit Quintessa Vandersloot geht es.', 'Mit [NAME] geht es.'],
    ['en', 'Zhou Jiaqi keeps the keys.', '[NAME] keeps the keys.'],
    ['de', 'Xu Jiawei hilft, Park Min-seo nie.', '[NAME] hilft, [NAME] nie.'],
  ])('%s: %s', async (language, text, masked) => expect(await mask(text, language)).toBe(masked));

  test.each([
    ['en', 'Will you hope for a better May? We need rose gold mugs and grace from Berlin.'],
    ['en', 'In March the Jira board of the Finance Team moved to San Francisco.'],
    ['en', 'my manager micromanages and my boss gaslights us'],
    ['de', 'Die Kantine in Berlin ist im Mai laut, und der Wolf im Logo stört den Vertrieb.'],
    ['fr', 'La belle équipe de Paris a eu une bonne chance en avril.'],
    ['es', 'La mejor esperanza es la luz clara del verano en Madrid.'],
    ['nl', 'De bos bloemen op de werkplek in Amsterdam was mooi in mei.'],
    ['en', 'HR Business partners, Sr. Management and MS Teams are slow.'],
    ['en', 'The Job Market is hard. Hire more people, and offer a Loan or a Carrier.'],
    ['en', 'Plan B. Young people help; Berlin/Hamburg, the Ford/Toyota fleet. Long Beach is fine.'],
    ['es', 'Hola, el comedor es caro, y la sede de Barcelona es grande.'],
    ['en', 'Hope is no strategy, and will it hold? Mark my words. Will always stay. May is cold.'],
    ['de', 'Die Rosa Linie hält, die Halle hat Platz, der Mercedes ist alt. Dies hilft. Unser Chef Einkauf ist neu.'],
    ['en', 'Reports are due every Tue and Thu until Sep.'],
    ['en', 'Of 1,248 tickets in Jan 37 were reopened.'],
    ['en', 'Kafka and Grafana are down every Monday, and Jenkins is slow.'],
    ['de', 'Die Linde Stapler und die Hilti sind kaputt.'],
    ['en', 'We ate at Hyde Park, and Grace Church was full.'],
    ['en', 'From 1 Jan to 31 Mar 2025, Jan-Mar and between Jan and Mar we had no plan.'],
    ['de', 'Vom 1. Jan. bis 31. Mai und Jan bis März gibt es max. 3 Tage, Max. 20 Euro.'],
    ['es', 'Leo el boletín. Lea el correo. Marco el reloj.'],
    ['en', 'Teams in Lincoln and near Nelson wait.'],
    ['es', 'Trabajo en León.'],
    ['en', 'The Milton Keynes office is cold, and the move to Ann Arbor was bad.'],
    ['es', 'El traslado a Benito Juárez fue malo.'],
    ['en', 'Milton Keynes has no canteen. People in Preston earn more.'],
    ['es', 'La sede de Rosario no tiene comedor, y nadie de Vigo viene a Lugo.'],
    ['de', 'Ostern und Pfingsten muss man arbeiten. Unser Vorarbeiter geht.'],
    ['nl', 'De cao 2023-2025 is verlopen. Den Haag beslist.'],
    ['nl', 'Ma t/m vr vroeg, Art.nr. 5512 ontbreekt.'],
    ['fr', "Qu'en dire ? Jusqu'ici rien."],
    ['en', 'The Park Ride-share and the Lee Drive-in are far.'],
    ['en', 'The hope told here is that April ended well.'],
    ['de', 'CHEF HÖRT NICHT ZU'],
    ['de', 'DER CHEF HÖRT NIE ZU UND KEINER SAGT WAS'],
  ])('%s: no name in %s', async (language, text) => expect(await mask(text, language)).toBe(text));
});

test('masks no token of a masked text, and takes none as evidence', async () => {
  expect(await mask('Thanks to [NAME] for the help.', 'es')).toBe('Thanks to [NAME] for the help.');
  expect(await mask('[NAME]\nDemystdata\n[ADDRESS], thanks')).toBe('[NAME]\nDemystdata\n[ADDRESS], thanks');
});

test('reads capitals of an address as no evidence about names', async () => {
  expect(await mask('The address of Pave is 94 Koskikatu 83 Apt. 343, Churton Park, Guatemala 38007')).toBe(
    'The address of [NAME] is [ADDRESS]',
  );
});

test('masks no part of a name twice', async () => {
  expect(await mask('We met at Al Di La.')).toBe('We met at [NAME] [NAME] La.');
});

test('masks two IBANs in a row', async () => {
  expect(await mask('IBAN DE89 3704 0044 0532 0130 00 IBAN DE89 3704 0044 0532 0130 00')).toBe('IBAN [ID] IBAN [ID]');
});

test.each([
  ['Hall 3 is cold', 'Hall', 'last-name', false],
  ['Hall no. 3 is cold', 'Hall', 'last-name', false],
  ['Hall 3 is cold', 'Hall', 'roster', true],
  ['From Jan to March', 'Jan', 'first-name', false],
  ['From Jan to Anna', 'Anna', 'first-name', true],
  ['Hall 3 is for Anna', 'Anna', 'first-name', true],
])('in `%s`, takes %s of the rule %s for a name or for a numbered thing', (text, name, source, isName) => {
  const start = text.indexOf(name);
  const span = { start, end: start + name.length, category: 'name', source, confidence: 1 } as const;
  expect(withoutNumberedThings([span], text)).toEqual(isName ? [span] : []);
});

describe('names in the roster', () => {
  const roster = new Roster([
    { firstname: 'Will', lastname: 'Hope', email: 'whope@example.com' },
    { firstname: 'Ngozi', lastname: 'Strübing', email: 'n.s@example.com' },
  ]);

  test.each([
    ['Will you come? I hope so.', 'Will you come? I hope so.'],
    ['Will is great, ask Will or Mr. Hope.', '[NAME] is great, ask [NAME] or Mr. [NAME].'],
    ['ngozi and struebing and STRÜBING and strubing', '[NAME] and [NAME] and [NAME] and [NAME]'],
    ['ping whope about it', 'ping [NAME] about it'],
    ['Ngo\u0301zi', '[NAME]'],
    ['Ngo\u00adzi, Ngоzi and Ng\u200bozi', '[NAME], [NAME] and [NAME]'],
  ])('%s', async (text, masked) => expect(await mask(text, 'en', roster)).toBe(masked));
});

describe('names in the roster that are also words', () => {
  const roster = new Roster([
    { firstname: 'Thomas', lastname: 'Wolf', email: '' },
    { firstname: 'Sabine', lastname: 'Klein', email: '' },
    { firstname: 'Luc', lastname: 'Petit', email: '' },
    { firstname: 'Kees', lastname: 'de Jong', email: '' },
    { firstname: 'Emily', lastname: 'Rose', email: '' },
    { firstname: 'Jan', lastname: 'van der Berg', email: '' },
    { firstname: 'Robert', lastname: 'Miller', email: '' },
    { firstname: 'Lea', lastname: 'Streit', email: '' },
    { firstname: 'Roos', lastname: 'Gates', email: '' },
    { firstname: 'Paul', lastname: 'Winter', email: '' },
    { firstname: 'Rosario', lastname: 'May', email: '' },
  ]);

  test.each([
    ['en', 'Rose is always helpful, Wolf too.', '[NAME] is always helpful, [NAME] too.'],
    ['en', 'Jan van der Berg is nice; van der Berg helps.', '[NAME] is nice; [NAME] helps.'],
    ['en', 'bob miller is great and emily rose helped', '[NAME] is great and [NAME] helped'],
    ['en', 'Bob answers, Rob does not.', '[NAME] answers, [NAME] does not.'],
    ['de', 'Wolf hört nie zu, Klein hilft immer.', '[NAME] hört nie zu, [NAME] hilft immer.'],
    ['de', 'Wolfs Team und Sabines Büro', '[NAME] Team und [NAME] Büro'],
    ['fr', 'Petit ne répond jamais.', '[NAME] ne répond jamais.'],
    ['nl', 'De Jong luistert nooit.', '[NAME] luistert nooit.'],
    ['de', 'Frau Streit hilft. Streit hört nie zu. Paul Winter fragt.', 'Frau [NAME] hilft. [NAME] hört nie zu. [NAME] fragt.'],
    ['es', 'mi jefa lea grita, y lea escucha.', 'mi jefa [NAME] grita, y [NAME] escucha.'],
  ])('%s: %s', async (language, text, masked) => expect(await mask(text, language, roster)).toBe(masked));

  test.each([
    ['en', 'The rose in the logo, said the miller.'],
    ['de', 'Der Wolf im Logo ist hässlich. Ein kleiner Kreis entscheidet alles.'],
    ['fr', 'Un petit effort serait bien.'],
    ['nl', 'Het jong team werkt met de jongens.'],
    ['de', 'Der Streit im Team eskaliert, es gibt immer Streit. Klein und fein.'],
    ['es', 'Quiero que lea el correo. Quiero que lo lea.'],
    ['nl', 'Een roos op tafel.'],
    ['en', 'The gates are closed.'],
    ['en', 'the gates are closed'],
    ['en', 'It is the team. Rose gardens are far. Miller light is fine.'],
    ['de', 'Winter ist kalt in der Halle.'],
    ['en', 'We will see in May.'],
    ['es', 'Rosario es una ciudad grande.'],
  ])('%s: no name in %s', async (language, text) => expect(await mask(text, language, roster)).toBe(text));
});

test('masks a small name of the roster before an article, but no verb', async () => {
  const roster = new Roster(['Kira', 'Lea'].map((firstname) => ({ firstname, lastname: 'Quintoro', email: '' })));
  expect(await mask('con kira el domingo pasa volando', 'es', roster)).toBe('con [NAME] el domingo pasa volando');
  expect(await mask('cuando lea el informe', 'es', roster)).toBe('cuando lea el informe');
});

describe('e-mail addresses', () => {
  test.each([
    ['Write to anna.smith+x@mail.example.co.uk, please.', 'Write to [EMAIL], please.'],
    ['Write to asmith (at) example (dot) org!', 'Write to [EMAIL]!'],
    ['k [dot] oduya [at] example [dot] org, or k.oduya AT example DOT org', '[EMAIL], or [EMAIL]'],
    ['jörg@exämple.de', '[EMAIL]'],
    ['write anna dot oak at example dot com, or meet at the dot on the map', 'write [EMAIL], or meet at the dot on the map'],
    ['We met at example dot com.', 'We met at example dot com.'],
    ['Write to anna @ example.com, or anna＠example.com', 'Write to [EMAIL], or [EMAIL]'],
    ['Write to k.oduya at example.com, or look at example.com.', 'Write to [EMAIL], or look at example.com.'],
    ['k.oduya@\nexample.com, k.oduya@example\n.com and k.oduya@exam-\nple.com', '[EMAIL], [EMAIL] and [EMAIL]'],
    ['Mail k.oduya@example.com.\nThanks', 'Mail [EMAIL].\nThanks'],
    ['k.oduya@example.\ncom helps, k.oduya@example.\ncommon sense', '[EMAIL] helps, k.oduya@example.\ncommon sense'],
    ['Mail 7k@7-eleven.example.org or k7@3m.com', 'Mail [EMAIL] or [EMAIL]'],
    ['Mail k(dot)7(at)3m-x(dot)example(dot)org', 'Mail [EMAIL]'],
    ['Mail k ( dot ) 7 ( at ) 3m-x ( dot ) example ( dot ) org', 'Mail [EMAIL]'],
    ['Mail k{punkt}oduya{ät}example.org', 'Mail [EMAIL]'],
  ])('%s', async (text, masked) => expect(await mask(text)).toBe(masked));
});

describe('phone numbers', () => {
  test.each([
    ['en', 'fax\n001-920-866-4851 mobile, or 151.081.7740x2347', 'fax\n[PHONE] mobile, or [PHONE]'],
    ['en', 'Call (555) 123-4567 or +44 20 7946 0958.', 'Call [PHONE] or [PHONE].'],
    ['de', 'Meine Nummer: 0171/2345678, Durchwahl 030 1234-567', 'Meine Nummer: [PHONE], Durchwahl [PHONE]'],
    ['fr', 'Mon portable est le 06.12.34.56.78.', 'Mon portable est le [PHONE].'],
    ['en', 'Tel. 91 234 56 78 / 93 876 54 32', 'Tel. [PHONE] / [PHONE]'],
    ['en', 'My cell: (312) 555-0199, ext 44', 'My cell: [PHONE]'],
    [
      'de',
      'Meine Durchwahl ist -4711. Herr Koch (Durchwahl 312)',
      'Meine Durchwahl ist -[PHONE]. Herr [NAME] (Durchwahl [PHONE])',
    ],
    ['fr', 'Mon poste est le 4521.', 'Mon poste est le [PHONE].'],
    ['es', 'Mi móvil es 612 345 678', 'Mi móvil es [PHONE]'],
    ['nl', 'Bel 06-12345678 na vijf uur', 'Bel [PHONE] na vijf uur'],
  ])('%s: %s', async (language, text, masked) => expect(await mask(text, language)).toBe(masked));
});

describe('postal addresses', () => {
  test.each([
    ['en', 'I live at 221B Baker Street, London NW1 6XE.', 'I live at [ADDRESS].'],
    ['en', 'Send it to 12 Oak\nStreet, London!', 'Send it to [ADDRESS]!'],
    ['de', 'Ich wohne in der Schillerstraße\n12a, 80336 München.', 'Ich wohne in der [ADDRESS].'],
    ['en', 'Send it to 1600 Pennsylvania Ave, Washington, DC 20500!', 'Send it to [ADDRESS]!'],
    ['de', 'Ich wohne in der Schillerstraße 12a, 80336 München.', 'Ich wohne in der [ADDRESS].'],
    ['fr', 'J’habite 3 bis, rue de la Paix, 75002 Paris.', 'J’habite [ADDRESS].'],
    ['es', 'Vivo en Calle Mayor, 14, 28013 Madrid.', 'Vivo en [ADDRESS].'],
    ['nl', 'Ik woon op Kerkstraat 12, 1017 GA Amsterdam.', 'Ik woon op [ADDRESS].'],
    ['de', 'Die PLZ 80336 reicht.', 'Die PLZ [ADDRESS] reicht.'],
    ['en', 'My zip code is 90210.', 'My zip code is [ADDRESS].'],
    ['es', 'Vivo en Calle Mayor 14, 3º B, 28013 Madrid.', 'Vivo en [ADDRESS].'],
    ['es', 'Vivo en la calle Mayor 112, 3º izq, 28012 Madrid.', 'Vivo en [ADDRESS].'],
    ['sv', 'Jag bor Storgatan 15, 411 38 Göteborg.', 'Jag bor [ADDRESS].'],
    ['pl', 'kod pocztowy 00-950', 'kod pocztowy [ADDRESS]'],
    ['en', 'Send it to Berda utca 76 please.', 'Send it to [ADDRESS] please.'],
  ])('%s: %s', async (language, text, masked) => expect(await mask(text, language)).toBe(masked));
});

describe('identification numbers', () => {
  test.each([
    ['en', 'I keep getting address 86.231.85.193 blocked', 'I keep getting address [ID] blocked'],
    ['en', 'My employee number is E-48213, badge 7719.', 'My employee number is [ID], badge [ID].'],
    ['de', 'Personalnummer 471123', 'Personalnummer [ID]'],
    ['de', 'Personalnummer 471123/Halle 3, Badge 9917-Linie 2', 'Personalnummer [ID]/Halle 3, Badge [ID]-Linie 2'],
    ['fr', 'matricule A-12345, mon badge est le 30582', 'matricule [ID], mon badge est le [ID]'],
    ['es', 'número de empleado: 88231', 'número de empleado: [ID]'],
    ['nl', 'personeelsnummer 55120', 'personeelsnummer [ID]'],
    ['de', 'Personalnummer 30418 und nicht auf 30481', 'Personalnummer [ID] und nicht auf [ID]'],
    ['nl', 'mijn personeelsnummer is 66120, niet 66210', 'mijn personeelsnummer is [ID], niet [ID]'],
    ['en', 'card 4556 6019 3807 1755, IBAN DE89 3704 0044 0532 0130 00 from 192.168.17.4', 'card [ID], IBAN [ID] from [ID]'],
    ['en', 'SSN 374-15-9928 and fe80::1ff:fe23:4567:890a', 'SSN [ID] and [ID]'],
    ['en', 'Born on 12/04/1985, date of birth: 4 March 1979', 'Born on [ID], date of birth: [ID]'],
    ['de', 'Ich bin am Montag da, geboren am 12.04.1985.', 'Ich bin am Montag da, geboren am [ID].'],
    ['fr', 'née le 3 août 1990', 'née le [ID]'],
    ['de', 'Ich bin am 3.4.1985 geboren.', 'Ich bin am [ID] geboren.'],
    ['en', 'licence AB-1234, account number 4400, my account 4400', 'licence [ID], account number [ID], my account [ID]'],
    ['it', 'nato il 01/08/1985', 'nato il [ID]'],
    ['da', 'født den 05.09.1990', 'født den [ID]'],
    ['en', 'NI number AB 12 34 56 C', 'NI number [ID]'],
    ['de', 'Meine PersNr 338120 stimmt nicht.', 'Meine PersNr [ID] stimmt nicht.'],
    ['en', 'My licence plate is B-MW 1234.', 'My licence plate is [ID].'],
    [
      'en',
      'My car (KX21 ABC) was hit, reg LD19 XYZ. The Audi car A4 not.',
      'My car ([ID]) was hit, reg [ID]. The Audi car A4 not.',
    ],
    ['fr', 'Ma voiture immatriculée AB-123-CD. Badge n° 77120.', 'Ma voiture immatriculée [ID]. Badge n° [ID].'],
    ['de', 'Auf xing.com/profile/Max_Muster steht alles.', 'Auf xing.com/profile/[ID] steht alles.'],
    ['nl', 'kenteken: 12-AB-34', 'kenteken: [ID]'],
    ['en', 'My plate is AB12 CDE', 'My plate is [ID]'],
    ['de', 'Das Kennzeichen meines Dienstwagens ist M-AB 1234.', 'Das Kennzeichen meines Dienstwagens ist [ID].'],
    ['es', 'La matrícula del coche de mi jefe es 1234 BCD.', 'La matrícula del coche de mi jefe es [ID].'],
    ['de', 'Mein Geburtstag am 24.12. wird vergessen.', 'Mein Geburtstag am [ID] wird vergessen.'],
    ['en', 'My birthday is 24/12', 'My birthday is [ID]'],
    [
      'en',
      'See linkedin.com/in/kim-hill-12 or https://www.xing.com/profile/Kim_Hill',
      'See linkedin.com/in/[ID] or https://www.xing.com/profile/[ID]',
    ],
    ['en', 'Find me at @bob.miller_7, Twitter: rose_e', 'Find me at [ID], Twitter: [ID]'],
    ['en', 'Quintoro moans all day. Jira says no ticket.', '[NAME] moans all day. Jira says no ticket.'],
    ['es', 'Quintoro se queja siempre', '[NAME] se queja siempre'],
    ['en', 'NI number QQ 98 76 54 A, 12/05/2025', 'NI number [ID], 12/05/2025'],
    ['de', 'Seit Hartmann weg ist, ist Ruhe.', 'Seit [NAME] weg ist, ist Ruhe.'],
    ['nl', 'ik werk graag met pieter de vries samen', 'ik werk graag met [NAME] samen'],
    ['fr', 'sophie de la compta aide', '[NAME] de la compta aide'],
  ])('%s: %s', async (language, text, masked) => expect(await mask(text, language)).toBe(masked));
});

describe('numbers that identify no person', () => {
  test.each([
    ['en', 'I rate it 5/10, in 2023-2024 it was 7/10; Q3 2024, 10:30, 24/7.'],
    ['en', 'Costs rose by 12.5% to 1,250,000 € or $1 200 000, 100 000 people, 3.14159265.'],
    ['en', 'From 01/02/2023 to 2024-05-06 we did 45 minutes, 1000000 tickets, ISO 27001 and page 12345.'],
    ['de', 'Von 2019 bis 2023 stieg der Umsatz um 15 % auf 3.500.000 Euro, am 1.2.2023 um 17:30 Uhr.'],
    ['fr', 'En 2023, 12 000 € pour 35 h, noté 8/10 le 01.02.2023.'],
    ['en', 'The licence SAP-2024-001 has expired, book it to account 4400.'],
    ['en', 'Budget line 620-4410 is empty, extension 2025 or an extension of 300 days too.'],
    ['de', 'Sachnummer 5512-0917-31 fehlt, Materialnummer 5512-0917 auch.'],
    ['es', 'La pieza 6600 205 177 no llega.'],
    ['de', 'Auftrag 4500067812 Pos. 00020 steht still.'],
    ['de', 'Das Kennzeichen der Norm ist ISO 9001, am Geburtstag 1/2 Tag oder 1.5 Stunden frei.'],
    ['nl', 'Van 01-06-2025 t/m 15-09-2025 geen verlof, 2.450 bruto.'],
    ['de', 'Der Bus 47B fährt in der halle ab, nach Mitternacht nie.'],
    ['en', 'nine people, miles ahead'],
    ['en', 'Born leaders, @all: we meet @ 5 pm on 12/04/2025, plate 3 of the plan.'],
  ])('%s: %s', async (language, text) => expect(await mask(text, language)).toBe(text));
});

test('masks a name beside other values, whose tokens are no headline', async () => {
  const text = 'Please ask Quintessa Vandersloot (quin.v@example.com, +49 30 901820) about it.';
  const masked = 'Please ask [NAME] ([EMAIL], [PHONE]) about it.';
  expect([await mask(text, 'en'), await mask(masked, 'en')]).toEqual([masked, masked]);
});

describe('a subset of the categories', () => {
  const text = 'Ask Anna Smith, anna.smith@example.com, +44 20 7946 0958, 12 Oak Street, London, employee number 48213.';
  const whole = new Set(PERSONAL_CATEGORIES);

  test.each(PERSONAL_CATEGORIES)('masks the spans of %s and nothing else', async (category) => {
    const all = await embeddedMasker.find({ text, language: 'en', roster: NOBODY, categories: whole });
    const part = await embeddedMasker.find({ text, language: 'en', roster: NOBODY, categories: new Set([category]) });

    expect(part).toEqual(all.filter((span) => span.category === category));
    expect(part).not.toEqual([]);
  });

  test('masks nothing without categories', async () => expect(await mask(text, 'en', NOBODY, [])).toBe(text));

  test('never masks a name within an e-mail address as a name', async () => {
    expect(await mask('anna@example.com', 'en', NOBODY, ['name'])).toBe('anna@example.com');
  });
});

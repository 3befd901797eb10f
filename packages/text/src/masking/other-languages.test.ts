import { expect, test } from 'vitest';
import { embeddedMasker } from './embedded-masker.ts';
import { maskText } from './mask-text.ts';
import { PERSONAL_CATEGORIES } from './masker.ts';
import { Roster } from './roster.ts';

const NO_ROSTER = new Roster();

test.each([
  ['it', 'Il signor Rossi non ascolta mai.', 'Il signor [NAME] non ascolta mai.'],
  ['it', 'La mia matricola è 48213, chiamatemi al 347 123 4567.', 'La mia matricola è [ID], chiamatemi al [PHONE].'],
  ['it', 'Abito in Via Garibaldi 12, 20121 Milano.', 'Abito in [ADDRESS].'],
  ['it', 'La Mensa è chiusa ad Aprile e la Direzione non ascolta.', 'La Mensa è chiusa ad Aprile e la Direzione non ascolta.'],
  ['pl', 'Pan Kowalski nigdy nie słucha.', 'Pan [NAME] nigdy nie słucha.'],
  ['pl', 'Mój numer pracownika to 48213, telefon 601 234 567.', 'Mój numer pracownika to [ID], telefon [PHONE].'],
  ['pl', 'Mieszkam na ul. Marszałkowska 10, 00-950 Warszawa.', 'Mieszkam na [ADDRESS].'],
  ['pl', 'W Marcu Zarząd zmienił Regulamin.', 'W Marcu Zarząd zmienił Regulamin.'],
  ['pt', 'O meu número de funcionário é 48213.', 'O meu número de funcionário é [ID].'],
  ['da', 'Mit medarbejdernummer er 48213.', 'Mit medarbejdernummer er [ID].'],
  ['sv', 'Mitt anställningsnummer är 48213.', 'Mitt anställningsnummer är [ID].'],
])('masks in %s: %s', async (language, text, masked) => {
  const spans = await embeddedMasker.find({ text, language, roster: NO_ROSTER, categories: new Set(PERSONAL_CATEGORIES) });
  expect(maskText(text, spans)).toBe(masked);
});

import { expect, it } from 'vitest';
import { topicKey } from './topic-key.ts';

it('is the same for names that differ in case only [TEXTS-TOPICS-3]', () => {
  expect(new Set(['Straße', 'STRAẞE', 'strasse', 'STRASSE'].map(topicKey))).toEqual(new Set(['strasse']));
  expect(topicKey('Café')).not.toBe(topicKey('Cafe'));
});

import { expect, it } from 'vitest';
import { replayReason, type BusState, type Position } from './position.ts';

const POSITION: Position = { servers: ['A', 'B'], stream_created: 'then', sequence: 40, replay_from: '2026-05-04T10:00:00Z' };
const BUS_STATE: BusState = { server: 'A', streamCreated: 'then', lastSequence: 40, delivered: 40 };

it.each<[string, Partial<Position>, Partial<BusState>, string | undefined]>([
  ['nothing has changed', {}, {}, undefined],
  ['the connection leads to another known node', {}, { server: 'B' }, undefined],
  [
    'nothing was stored yet',
    { servers: [], stream_created: null, sequence: null, replay_from: null },
    { server: 'C' },
    undefined,
  ],
  ['a server has restarted', {}, { server: 'C' }, 'the server has restarted'],
  ['the stream was created again', {}, { streamCreated: 'now' }, 'the stream is another one'],
  ['the consumer was sent more than the stream has', {}, { delivered: 41 }, 'the stream ends before its consumer'],
  ['a replay was interrupted', {}, { delivered: undefined }, 'the consumer is missing'],
  ['PostgreSQL has more than the stream', { sequence: 41 }, {}, 'the stream ends before its consumer'],
])('when %s', (_, position, busState, expected) => {
  expect(replayReason({ ...POSITION, ...position }, { ...BUS_STATE, ...busState })).toBe(expected);
});

import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { callerMetadata, readPrincipal } from './call-context.ts';

describe('the user on whose behalf the console calls', () => {
  it.each([
    { kind: 'admin', employeeId: 7, issuer: 'https://login.example.com/a:b', subject: 'Zoë:1' },
    { kind: 'invited', invitationId: 8, issuer: 'https://login.example.com', subject: 's' },
  ] as const)('is read as it was sent: $kind', (onBehalfOf) => {
    expect(readPrincipal(callerMetadata({ requestId: 'r', onBehalfOf }))).toEqual({ onBehalfOf });
  });

  it.each(['operator:o%40example.com', 'admin:x:issuer', 'admin', ''])('is rejected when it is neither: %j', (text) => {
    const metadata = new Metadata();
    metadata.set('on-behalf-of', text);
    expect(() => readPrincipal(metadata)).toThrow('an admin or an invited user');
  });
});

const TIMEOUT_MS = 10_000;

/**
 * Checks that the gateway rejects requests without a key and accepts `apiKey`.
 * @throws with the unexpected response
 */
export async function checkGateway(url: string, apiKey: string | undefined): Promise<string> {
  await expectStatus(url, {}, 401);
  if (apiKey === undefined) return 'the gateway answers, and asks for a key';
  await expectStatus(url, { 'X-Api-Key': apiKey }, 200);
  return 'the gateway answers, asks for a key, and takes this one';
}

async function expectStatus(url: string, headers: Record<string, string>, expected: number): Promise<void> {
  const response = await fetch(new URL('/v1/employees?limit=1', url), { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (cause: unknown) => {
      throw new Error(`no gateway answers at ${url}`, { cause });
    },
  );
  await response.body?.cancel();
  if (response.status === expected) return;
  throw new Error(
    `a request with${expected === 401 ? 'out a' : ' the'} key was answered with ${response.status}, not ${expected}`,
  );
}

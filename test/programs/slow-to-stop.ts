// A service that reports when it is ready and takes 500 ms to stop. With RUN_ASIDE=rejection it
// leaves a rejection unhandled while it stops.
import { setTimeout as sleep } from 'node:timers/promises';
import { processSettings } from '@survey/process/environment.ts';
import { run } from '@survey/process/run.ts';
import { z } from 'zod';

const settings = { ...processSettings, RUN_ASIDE: z.literal('rejection').optional() };

await run('slow-to-stop', settings, ({ RUN_ASIDE }) => {
  const open = setInterval(() => {}, 1_000);
  process.stdout.write('serving\n');
  return Promise.resolve({
    address: '',
    probeAddress: '',
    drain: () => {
      process.stdout.write('draining\n');
      const cause = new Error("ERR unknown command 'AUTH', with args beginning with: 'canary'");
      if (RUN_ASIDE === 'rejection') void Promise.reject(new Error('no answer of redis://survey:canary@host', { cause }));
    },
    [Symbol.asyncDispose]: async () => {
      await sleep(500);
      clearInterval(open);
      process.stdout.write('finished\n');
    },
  });
});

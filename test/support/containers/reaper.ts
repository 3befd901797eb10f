// Waits until its standard input closes, then removes the containers of a run.
//   node test/support/containers/reaper.ts FOLDER_OF_THE_RUN
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeOfRun } from './of-run.ts';

// Longest time in which a killed run may still start containers.
const AFTERMATH_MS = 3_000;

const run = process.argv[2] ?? '';
const wasAsked = (await text(process.stdin)) !== '';
await removeOfRun(run);
if (!wasAsked) {
  await sleep(AFTERMATH_MS);
  await removeOfRun(run);
}

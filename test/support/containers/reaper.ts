// Waits until whoever holds its standard input closes it or dies, and removes the containers of a run.
//   node test/support/containers/reaper.ts FOLDER_OF_THE_RUN
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeOfRun } from './of-run.ts';

// How long the rest of a killed run may still be starting containers.
const AFTERMATH_MS = 3_000;

const run = process.argv[2] ?? '';
const wasAsked = (await text(process.stdin)) !== '';
await removeOfRun(run);
if (!wasAsked) {
  await sleep(AFTERMATH_MS);
  await removeOfRun(run);
}

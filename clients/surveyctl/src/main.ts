#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

const LEFTOVERS_MAY_TAKE_MS = 1_000;

// Compiling takes half of the time until --help is printed.
enableCompileCache();
const { surveyctl } = await import('./program.ts');

process.exitCode = await surveyctl(process.argv.slice(2));
// Ends, once all output is written, even if a library has left a handle open. nats.js, for example,
// keeps a socket to a server that never sent its greeting.
process.stdout.write('', () => setTimeout(() => process.exit(), LEFTOVERS_MAY_TAKE_MS).unref());

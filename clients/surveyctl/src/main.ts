#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Compiling takes half of the time until --help is printed.
enableCompileCache();
const { surveyctl } = await import('./program.ts');

process.exitCode = await surveyctl(process.argv.slice(2));

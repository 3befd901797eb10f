#!/usr/bin/env node
import { surveyctl } from './program.ts';

process.exitCode = await surveyctl(process.argv.slice(2));

import { readFile, writeFile } from 'node:fs/promises';
import { createProgram } from '@survey/surveyctl/program.ts';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  asyncApiIncompatibilities,
  commandIncompatibilities,
  openApiIncompatibilities,
  type CommandOutline,
} from '../checks/incompatibilities.ts';
import { shareStack } from '../support/file-stack.ts';

// What docs/promises.md promises to those who wrote against the last release (docs/released).
const { api } = await shareStack();

const current: Readonly<Record<string, unknown>> = {
  openapi: (await api.get('/openapi.json')).body,
  asyncapi: parse(await readFile(new URL('../../docs/asyncapi.yaml', import.meta.url), 'utf8')),
  surveyctl: outlines(createProgram()),
};

/** Describes each command without its help, by its words. */
function outlines(program: Command, words: readonly string[] = []): Record<string, CommandOutline> {
  const own: CommandOutline = {
    arguments: program.registeredArguments.map((argument) => ({ name: argument.name(), required: argument.required })),
    options: Object.fromEntries(
      program.options.map((option) => [
        option.long ?? option.flags,
        {
          required: option.mandatory,
          takesValue: option.required || option.optional,
          ...(option.argChoices && { choices: option.argChoices }),
        },
      ]),
    ),
  };
  const below = program.commands.map((command) => outlines(command, [...words, command.name()]));
  return Object.assign({ [words.join(' ')]: own }, ...below);
}

async function releasedOf(name: string): Promise<unknown> {
  const file = new URL(`../../docs/released/${name}.json`, import.meta.url);
  // A step of a release (docs/releasing.md).
  if (process.env['WRITE_RELEASED'] !== undefined) await writeFile(file, `${JSON.stringify(current[name], null, 2)}\n`);
  return JSON.parse(await readFile(file, 'utf8'));
}

const COMPARISONS = {
  openapi: openApiIncompatibilities,
  asyncapi: asyncApiIncompatibilities,
  surveyctl: (before: unknown, after: unknown) => commandIncompatibilities(Object(before), Object(after)),
};

// What the next release removes or adds on purpose, as CHANGELOG.md announces. Empty after each
// release.
const ANNOUNCED: Readonly<Record<string, readonly string[]>> = {
  // These patterns only describe what was rejected before as well, or they accept more.
  openapi: [
    'POST /v1/employees/imports: header Idempotency-Key has another pattern',
    'GET /v1/scores: query question_ids has a pattern',
    'GET /v1/text_responses: query survey_ids has a pattern',
    'GET /v1/text_responses: query survey_cycle_ids has another pattern',
    'GET /v1/text_responses: query question_ids has a pattern',
    'GET /v1/text_responses: query attribute_option_ids has a pattern',
  ],
  // Consumers ignore what they do not know (docs/events.md).
  asyncapi: ['created', 'updated', 'offboarded', 'reactivated'].map(
    (what) => `events.employee.${what}: survey.employee.${what}.employees[].changed_fields[] may be import_id now`,
  ),
  surveyctl: [
    'surveyctl settings set: --external-text-models is removed',
    'surveyctl settings set: --external-masker is removed',
    'surveyctl text rebuild: --patience is removed',
    'surveyctl text learner is removed',
    'surveyctl text learner list is removed',
    'surveyctl text learner rollback is removed',
    'surveyctl dataset load: --patience is removed',
  ],
};

it.each(Object.entries(COMPARISONS))('%s offers all that the last release promised', async (name, compare) => {
  expect(compare(await releasedOf(name), current[name])).toEqual(ANNOUNCED[name] ?? []);
});

import { createProgram } from '@survey/surveyctl/program.ts';
import type { Command } from 'commander';

/** Writes the page of all commands from their help. */
export function commandsPage(): string {
  const program = createProgram();
  return ['# surveyctl', helpOf(program), ...program.commands.flatMap((group) => sections(group, ''))].join('\n\n');
}

function sections(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`.trim();
  // The commands of shell completion are for shells.
  if (name.startsWith('complet')) return [];
  const heading = `${parent === '' ? '##' : '###'} ${name}`;
  if (command.commands.length === 0) return [heading, helpOf(command)];
  return [heading, `${command.description()}.`, ...command.commands.flatMap((one) => sections(one, name))];
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHasColors: () => false, getOutHelpWidth: () => 76 });
  command.outputHelp();
  return `\`\`\`text\n${help.trim()}\n\`\`\``;
}

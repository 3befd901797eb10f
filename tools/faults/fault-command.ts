import { Command, InvalidArgumentError, Option } from 'commander';

type Parts = Readonly<Record<string, { readonly about: string }>>;

/** Returns the command of a program that injects faults, with the options that they all have. */
export function faultCommand(script: string, description: string, parts: Parts): Command {
  const names = Object.keys(parts);
  const width = Math.max(...names.map((name) => name.length));
  const list = names.map((name) => `  ${name.padEnd(width)}  ${parts[name]?.about}`);
  const addPart = (text: string, earlier: readonly string[]): string[] => {
    if (!names.includes(text)) throw new InvalidArgumentError(`must be one of ${names.join(', ')}`);
    return [...earlier, text];
  };
  const now = Date.now() % 1e9;
  return new Command(`npm run ${script} --`)
    .description(description)
    .addOption(new Option('--only <part...>', 'run only these parts').argParser(addPart).default([], 'all'))
    .addOption(new Option('--seed <number>', 'seed of random choices').argParser(whole).default(now, 'the current time'))
    .option('--rounds <number>', 'repetitions of each part', whole, 1)
    .option('--json <file>', 'also write the figures to this file')
    .addHelpText('after', `\nParts:\n${list.join('\n')}\n\nExit codes: 0 every target was met, 1 one was missed.`);
}

export function whole(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('must be a whole number of at least 1');
  return number;
}

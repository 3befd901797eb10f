import { Argument, type Command, Option } from 'commander';
import type { AccountAdmin } from './connection.ts';
import type { ConnectionOptions } from './find-account-admin.ts';
import { print } from './output.ts';

/** An option or argument of a command, with the type of its value. */
export interface Input<T, Part extends Argument | Option = Argument | Option> {
  readonly part: Part;
  // Never present.
  readonly value?: T;
}

/** Parses a value, given the one before it if the option is repeated; or the possible values. */
type Parse<T> = ((text: string, earlier?: T) => T) | readonly T[];

function option<T>(flags: string, about: string, parse?: Parse<T>): Option {
  const part = new Option(flags, about);
  if (parse === undefined) return part;
  return typeof parse === 'function' ? part.argParser(parse) : part.choices(parse.map(String));
}

export const argument = <T = string>(name: string, about: string, parse?: (text: string) => T): Input<T> => {
  const part = new Argument(name, about);
  return { part: parse === undefined ? part : part.argParser(parse) };
};

export const required = <T = string>(flags: string, about: string, parse?: Parse<T>): Input<T> => ({
  part: option(flags, about, parse).makeOptionMandatory(),
});

export const optional = <T = string>(flags: string, about: string, parse?: Parse<T>): Input<T | undefined, Option> => ({
  part: option(flags, about, parse),
});

export const withDefault = <T>(flags: string, about: string, value: T, parse?: Parse<T>): Input<T> => ({
  part: option(flags, about, parse).default(value),
});

/** An option without a value: whether it is given, or, for `--no-…`, whether it is not. */
export const flag = (flags: string, about: string): Input<boolean, Option> => ({ part: new Option(flags, about) });

/** Rejects the option together with any of the others, named as commander names their values. */
export function unless<T>(others: readonly string[], { part }: Input<T, Option>): Input<T> {
  return { part: part.conflicts([...others]) };
}

// Does not mention the type of the value, which TypeScript would infer from here.
type Inputs = Readonly<Record<string, { readonly part: Argument | Option }>>;
type Values<I extends Inputs> = { [Name in keyof I]: I[Name] extends Input<infer T> ? T : never };

/** What a command prints: JSON with --json, else the text. */
export interface Output {
  readonly json: object;
  readonly text: () => string;
}

type Run<Args extends readonly unknown[]> = (...args: Args) => Promise<Output | undefined> | Promise<void>;

interface CommandDefinition<I extends Inputs, Args extends readonly unknown[]> {
  readonly about: string;
  // Printed below the options.
  readonly help?: string;
  // Under the names by which `run` knows them; arguments before options.
  readonly inputs?: I;
  readonly run: Run<Args>;
}

/** Adds a command to its parent, and returns it. */
export type AddCommand = (parent: Command) => Command;

/** Returns a group of commands, such as `key`. */
export const group =
  (name: string, about: string, commands: readonly AddCommand[]): AddCommand =>
  (parent) => {
    const command = parent.command(name).description(about);
    for (const add of commands) add(command);
    return command;
  };

/** Returns a command that calls account-admin. */
export const command = <I extends Inputs = Inputs>(
  name: string,
  definition: CommandDefinition<I, [admin: AccountAdmin, values: Values<I>, command: Command]>,
): AddCommand =>
  localCommand<I>(name, {
    ...definition,
    run: async (values, command) => {
      let output: Output | undefined | void;
      // Loaded on demand: gRPC takes a moment, which --help and completion do not need.
      const { withAccountAdmin } = await import('./connection.ts');
      await withAccountAdmin(command.optsWithGlobals<ConnectionOptions>(), async (admin) => {
        output = await definition.run(admin, values, command);
      });
      return output ?? undefined;
    },
  });

/** Returns a command that needs no account-admin. */
export const localCommand =
  <I extends Inputs = Inputs>(
    name: string,
    { about, help = '', inputs, run }: CommandDefinition<I, [values: Values<I>, command: Command]>,
  ): AddCommand =>
  (parent) => {
    const command = parent.command(name).description(about).addHelpText('after', help);
    const entries = Object.entries(inputs ?? {});
    for (const [, { part }] of entries) {
      if (part instanceof Option) command.addOption(part);
      else command.addArgument(part);
    }
    return command.action(async () => {
      const values = Object.fromEntries(entries.map(([name, { part }]) => [name, valueOf(command, part)]));
      const output = await run(values as Values<I>, command);
      if (output !== undefined) print(command, output.json, output.text);
    });
  };

function valueOf(command: Command, part: Argument | Option): unknown {
  if (part instanceof Argument) return command.processedArgs[command.registeredArguments.indexOf(part)];
  return command.getOptionValue(part.attributeName()) ?? (part.isBoolean() ? false : undefined);
}

/** Returns the help of a command with one example, and perhaps a remark. */
export const example = (line: string, remark?: string): string =>
  `${remark === undefined ? '' : `\n${remark}\n`}\nExample:\n  $ npx surveyctl ${line}`;

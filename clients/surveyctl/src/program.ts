import tab from '@bomb.sh/tab/commander';
import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { account } from './commands/account.ts';
import { anonymity } from './commands/anonymity.ts';
import { attribute } from './commands/attribute.ts';
import { audit } from './commands/audit.ts';
import { context } from './commands/context.ts';
import { dataset } from './commands/dataset.ts';
import { doctor } from './commands/doctor.ts';
import { employee } from './commands/employee.ts';
import { events } from './commands/events.ts';
import { facts } from './commands/facts.ts';
import { imports } from './commands/import.ts';
import { integration } from './commands/integration.ts';
import { key } from './commands/key.ts';
import { nats } from './commands/nats.ts';
import { notice } from './commands/notice.ts';
import { settings } from './commands/settings.ts';
import { supportBundle } from './commands/support-bundle.ts';
import { text } from './commands/text.ts';
import { topic } from './commands/topic.ts';
import { parseReason } from './arguments.ts';
import { EXIT, describeError } from './command-error.ts';

const HELP = `
Address of account-admin: --address, --context, ACCOUNT_ADMIN_ADDRESS, the current context, or .local/stack.json of \`npm start\`.

Reason: what a command changes is recorded in the audit log of the account with your user name and --reason, such as a ticket.

Completion: surveyctl completion bash|zsh|fish prints a script for the shell, such as for source <(surveyctl completion bash).

Exit codes: 0 done, 1 rejected or failed, 2 wrong usage; import watch and dry-run: 0 applied, 3 cancelled, 4 failed.

Examples:
  $ npx surveyctl account create --name "ACME GmbH" --disclosure-guard strict
  $ npx surveyctl account show --account 1 --reason "ticket 4711: imports fail"
  $ npx surveyctl key create --account 1 --scope employees:write --json
  $ npx surveyctl integration connect --account 1 --default-language de --deletion-threshold 12.5
  $ npx surveyctl import watch 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1
  $ npx surveyctl topic rename --account 1 --topic Pay --name "Pay and benefits"
  $ npx surveyctl dataset load organisation.ndjson --account 1`;

const COMMANDS = [
  account,
  audit,
  key,
  integration,
  imports,
  employee,
  attribute,
  settings,
  nats,
  notice,
  anonymity,
  topic,
  text,
  dataset,
  facts,
  events,
  doctor,
  supportBundle,
  context,
];

/** Runs one command and returns the exit code. Never throws. */
export async function surveyctl(args: readonly string[]): Promise<number> {
  const program = createProgram();
  // A reader such as `head` may close the pipe early, which is not an error and changes no outcome.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
    process.exit(code === 'EPIPE' ? process.exitCode : EXIT.failed),
  );
  try {
    await program.parseAsync([...args], { from: 'user' });
    // A command with several outcomes sets its exit code itself.
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    // Commander has printed the error; it also raises one with code 0 for --help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { message, exitCode } = describeError(error, process.env['SURVEYCTL_DEBUG'] !== undefined);
    process.stderr.write(`surveyctl: ${message}\n`);
    return exitCode;
  }
}

/** Declares all commands. */
export function createProgram(): Command {
  const program = new Command('surveyctl')
    .description(
      'operate the employee engagement survey service: accounts, API keys, integration, imports, access, settings, topics, texts, datasets',
    )
    .version(manifest.version, '--version', 'print the version')
    .option('--address <host:port>', 'address of account-admin')
    .option('--context <name>', 'context to use, see `context list`')
    .option('--json', 'print JSON on standard output, for programs')
    .option('--reason <text>', "why, for the account's audit log, which its admins can read: 3 to 200 characters", parseReason)
    .addHelpText('after', HELP)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Run the command with --help for its usage.')
    .exitOverride()
    .hook('preAction', async () => {
      // Loaded on demand: --help does not need the settings.
      const { loadSecretFiles } = await import('@survey/process/secret-files.ts');
      loadSecretFiles();
    });
  for (const add of COMMANDS) add(program);
  tab(program, { completionCommandName: 'completion' });
  return program;
}

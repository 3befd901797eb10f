import { writeFile } from 'node:fs/promises';
import { causeOf } from '@survey/process/cause-of.ts';
import { CommandError, EXIT } from './command-error.ts';

/** Writes a new file, readable by this user only. @throws CommandError when it exists */
export async function writeNewFile(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((cause: unknown) => {
    throw new CommandError(`cannot write ${file}: ${causeOf(cause)}. Name a new file in an existing folder`, EXIT.usage, {
      cause,
    });
  });
}

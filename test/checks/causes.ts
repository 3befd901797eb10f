import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Prints rejections whose cause is thrown away, such as `.catch(() => undefined)`, and exits with 1
// when there are any. A comment on one of the two lines before says why silence is right; a wait
// that is aborted needs none.

const ROOT = new URL('../..', import.meta.url).pathname;
const SILENT = /^(?!.*\bsleep\().*(?:\bcatch\(\(\) =>|, \(\) => undefined\))/;
const COMMENT = /^\s*(?:\/\/|\*)/;

const files = execFileSync('git', ['ls-files', 'services/**/src/*.ts', 'packages/**/src/*.ts', 'clients/**/src/*.ts'], {
  cwd: ROOT,
  encoding: 'utf8',
});
const faults = files
  .split('\n')
  .filter((file) => /^(?!.*\.(test|fixture)\.ts$).*\.ts$/.test(file))
  .flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    return lines.flatMap((line, at) => {
      const isExplained = lines.slice(Math.max(0, at - 2), at).some((before) => COMMENT.test(before));
      return SILENT.test(line) && !isExplained ? [`${file}:${at + 1}: ${line.trim()}`] : [];
    });
  });
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n${faults.length} causes thrown away\n`);
  process.exitCode = 1;
}

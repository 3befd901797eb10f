import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// Prints text-analysis' figures next to their goals: masking, then topics and sentiment. Each runs
// in its own process, whose memory is measured.
for (const part of ['evaluate-masking', 'evaluate-topics']) {
  const script = fileURLToPath(new URL(`./${part}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
  if (status !== 0) break;
}

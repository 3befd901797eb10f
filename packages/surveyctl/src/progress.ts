import type { WriteStream } from 'node:tty';
import type { ImportProgress } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { Presets, SingleBar } from 'cli-progress';
import { printable } from './output.ts';

export interface Progress extends Disposable {
  show(step: ImportProgress): void;
}

const LINE_EVERY_MS = 1_000;

/** Shows how far an import is: a bar on a terminal, else a line when something else begins and then one a second at most. */
export function openProgress(stream: WriteStream): Progress {
  return stream.isTTY ? barOn(stream) : linesOn(stream);
}

function barOn(stream: WriteStream): Progress {
  const format = '{bar} {percentage}% | {value}/{total} | {what}';
  const bar = new SingleBar({ stream, format, hideCursor: true, clearOnComplete: true }, Presets.shades_classic);
  bar.start(1, 0, { what: '' });
  return {
    show: (step) => {
      bar.setTotal(Math.max(1, step.total));
      bar.update(step.done, { what: activityOf(step) });
    },
    [Symbol.dispose]: () => bar.stop(),
  };
}

export function linesOn(stream: Pick<WriteStream, 'write'>, now: () => number = Date.now): Progress {
  let last = { activity: '', at: -Infinity };
  return {
    show: (step) => {
      const activity = activityOf(step);
      if (activity === last.activity && now() - last.at < LINE_EVERY_MS) return;
      last = { activity, at: now() };
      stream.write(`${activity} ${step.done}/${step.total}\n`);
    },
    [Symbol.dispose]: () => undefined,
  };
}

function activityOf({ state, phase }: ImportProgress): string {
  return printable(phase === '' ? state : phase);
}

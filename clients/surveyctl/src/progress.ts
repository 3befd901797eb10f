import type { WriteStream } from 'node:tty';
import cliProgress from 'cli-progress';
import { printable } from './output.ts';

/** Progress of an operation. */
export interface Step {
  // Current activity.
  activity: string;
  done: number;
  // Undefined: unknown.
  total: number | undefined;
  // Amount done, in words.
  detail: string;
}

export interface Progress extends Disposable {
  show(step: Step): void;
}

const LINE_INTERVAL_MS = 1_000;

/**
 * Shows progress: a bar on a terminal, else a line when the activity changes and then at most one
 * per second.
 */
export function openProgress(stream: WriteStream): Progress {
  return stream.isTTY ? barOn(stream) : linesOn(stream);
}

function barOn(stream: WriteStream): Progress {
  let latest: Step = { activity: '', done: 0, total: undefined, detail: '' };
  const bar = new cliProgress.SingleBar(
    {
      stream,
      hideCursor: true,
      clearOnComplete: true,
      format: (options, { progress }) => {
        const share = `${cliProgress.Format.BarFormat(progress, options)} ${Math.floor(progress * 100)}% | `;
        return `${latest.total === undefined ? '' : share}${latest.detail} | ${printable(latest.activity)}`;
      },
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(1, 0);
  return {
    show: (step) => {
      latest = step;
      bar.setTotal(Math.max(1, step.total ?? 1));
      bar.update(step.total === undefined ? 0 : step.done);
    },
    [Symbol.dispose]: () => bar.stop(),
  };
}

export function linesOn(stream: Pick<WriteStream, 'write'>, now: () => number = Date.now): Progress {
  let last = { activity: '', at: -Infinity };
  return {
    show: ({ activity, detail }) => {
      if (activity === last.activity && now() - last.at < LINE_INTERVAL_MS) return;
      last = { activity, at: now() };
      stream.write(`${printable(activity)} ${detail}\n`);
    },
    [Symbol.dispose]: () => undefined,
  };
}

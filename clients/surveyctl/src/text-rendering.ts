import type { ShowTextStatusResponse, StageStatus } from '@survey/proto/text/v1/topics.ts';
import { printable, renderFields, renderTable } from './output.ts';

export const STAGES = ['mask', 'categorise', 'sentiment'] as const;

/** Renders the progress of the stages for programs. */
export function textStatusJson({ stages, ...overall }: ShowTextStatusResponse): object {
  return { ...overall, stages: stages.map(stageJson) };
}

function stageJson({ version, lag_seconds, given_up, ...stage }: StageStatus): object {
  const total = { given_up: givenUp(given_up), given_up_reasons: given_up };
  return { ...stage, version: version ?? null, lag_seconds: lag_seconds ?? null, ...total };
}

/** Renders it for people. */
export function renderTextStatus({ answers, topics, taxonomy_version, stages }: ShowTextStatusResponse): string {
  const overall = renderFields({
    answers: String(answers),
    topics: String(topics),
    taxonomy_version: String(taxonomy_version),
  });
  const reasons = stages.flatMap(({ stage, given_up }) =>
    given_up.map((one) => [stage, String(one.answers), printable(one.reason)]),
  );
  return [
    overall,
    '',
    renderTable(['STAGE', 'STATE', 'TO DO', 'UNDER WAY', 'LAG', 'GIVEN UP'], stages.map(rowOf)),
    ...(reasons.length === 0 ? [] : ['', renderTable(['STAGE', 'ANSWERS', 'GIVEN UP BECAUSE'], reasons)]),
    ...(reasons.length === 0 ? [] : ['', 'text retry queues them again.']),
  ].join('\n');
}

/** Returns the number of a stage's pending answers. */
export function toDo({ not_enqueued, waiting }: StageStatus): number {
  return not_enqueued + waiting;
}

export function givenUp(reasons: StageStatus['given_up']): number {
  return reasons.reduce((sum, { answers }) => sum + answers, 0);
}

function stateOf(status: StageStatus): string {
  if (!status.is_backfilled) return 'planning';
  if (status.version == null) return 'off';
  return toDo(status) === 0 ? 'done' : 'working';
}

function rowOf(status: StageStatus): string[] {
  const { stage, in_progress, lag_seconds, given_up } = status;
  const state = stateOf(status);
  const lag = lag_seconds == null ? '-' : `${lag_seconds.toFixed(0)} s`;
  return [stage, state, String(toDo(status)), String(in_progress), lag, String(givenUp(given_up))];
}

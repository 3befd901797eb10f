import { each, isOurs, kinds, noneOf, pods, type Row } from './look.ts';
import { containersOf, nameOf, selects, type Manifest } from '../support/chart/manifest.ts';
import { configOf, type Pod, type Render } from '../support/chart/rendered.ts';

const LONG_RUNNING = ['Deployment', 'StatefulSet'];
const longRunningPods = (render: Render): Pod[] => render.pods.filter(({ owner }) => LONG_RUNNING.includes(owner.kind));

/** Checklist of rollouts, disruptions and autoscaling. */
export const ROLLOUT_ROWS: readonly Row[] = [
  {
    name: 'a rollout removes no available pod and has a deadline',
    look: (render) =>
      each(kinds(render, 'Deployment'), nameOf, ({ spec }) => {
        const strategy = JSON.stringify(spec?.['strategy'] ?? {});
        if (!strategy.includes('"maxUnavailable":0')) return strategy;
        const { minReadySeconds, progressDeadlineSeconds, revisionHistoryLimit } = spec ?? {};
        return (minReadySeconds !== 5 || progressDeadlineSeconds !== 300 || revisionHistoryLimit !== 5) && 'figures';
      }),
  },
  {
    name: 'every container has three probes with different checks',
    look: (render) =>
      longRunningPods(render).flatMap(({ spec, owner }) =>
        each(
          spec.containers ?? [],
          ({ name }) => `${nameOf(owner)}/${name}`,
          ({ startupProbe, livenessProbe, readinessProbe, ...container }) => {
            if (!startupProbe || !livenessProbe || !readinessProbe) return 'one is missing';
            const [live, ready] = [livenessProbe, readinessProbe].map(({ httpGet, tcpSocket, exec }) =>
              JSON.stringify({ httpGet, tcpSocket, exec }),
            );
            if (live === ready) return 'liveness and readiness are equal';
            return (
              isOurs(container) && (startupProbe.httpGet?.path !== '/startupz' || live?.includes('/livez') !== true) && 'paths'
            );
          },
        ),
      ),
  },
  {
    name: 'the termination grace period exceeds the shutdown time by at least 10 s',
    look: (render) =>
      pods(render, ({ spec, owner }) => {
        const { DRAIN_DELAY_MS, SHUTDOWN_TIMEOUT_MS } = configOf(owner, render);
        const neededSeconds = (Number(DRAIN_DELAY_MS ?? 0) + Number(SHUTDOWN_TIMEOUT_MS ?? 0)) / 1_000;
        return !((spec.terminationGracePeriodSeconds ?? 0) >= neededSeconds + 10) && `less than ${neededSeconds + 10} s`;
      }),
  },
  {
    name: 'exactly the components with two or more pods have a disruption budget',
    look: (render) =>
      each(
        longRunningPods(render).filter(({ owner }) => owner.kind === 'Deployment' && !owner.metadata.name.endsWith('ops-tools')),
        ({ owner }) => nameOf(owner),
        (pod) => {
          const budget = kinds(render, 'PodDisruptionBudget').find(({ spec }) =>
            selects(spec?.selector?.matchLabels, pod.metadata.labels),
          );
          if ((budget !== undefined) !== minReplicasOf(pod, render) >= 2) return `${minReplicasOf(pod, render)} pods`;
          return (
            budget !== undefined &&
            budget.spec?.['unhealthyPodEvictionPolicy'] !== 'AlwaysAllow' &&
            'unhealthy pods are not evicted'
          );
        },
      ),
  },
  {
    name: 'the pods of a component are spread over nodes',
    look: (render) =>
      each(
        longRunningPods(render),
        ({ owner }) => nameOf(owner),
        ({ spec, metadata, owner }) => {
          const constraints = spec.topologySpreadConstraints ?? [];
          const other = constraints.filter(({ labelSelector }) => !selects(matchLabelsOf(labelSelector), metadata.labels));
          const perVersion = constraints.every(({ matchLabelKeys }) => Array.isArray(matchLabelKeys));
          if (constraints.length === 0 || other.length > 0) return 'no constraint, or one for other pods';
          if (constraints.some(({ nodeTaintsPolicy }) => nodeTaintsPolicy !== 'Honor')) return 'counts drained nodes';
          return owner.kind === 'Deployment' && !perVersion && 'across versions';
        },
      ),
  },
  {
    name: 'every Deployment has a replica count and at most one autoscaler, with no higher minimum',
    look: (render) =>
      each(kinds(render, 'Deployment'), nameOf, ({ metadata, spec }) => {
        const scalers = kinds(render, 'HorizontalPodAutoscaler', 'ScaledObject').filter((one) => targetOf(one) === metadata.name);
        if (scalers.length > 1) return 'two scalers';
        return (spec?.replicas === undefined || spec.replicas < scalerMinimum(scalers[0])) && 'replicas';
      }),
  },
  {
    name: 'the pod template contains a checksum of its configuration',
    look: (render) =>
      pods(render, ({ owner, metadata, spec }) => {
        const own = kinds(render, 'ConfigMap').map(({ metadata: { name } }) => name);
        const configured = containersOf(spec).some(({ envFrom = [] }) =>
          envFrom.some(({ configMapRef }) => own.includes(configMapRef?.name ?? '')),
        );
        return configured && !/^[0-9a-f]{64}$/.test(metadata.annotations?.['checksum/config'] ?? '') && nameOf(owner);
      }),
  },
  {
    name: 'the release contains no namespace and no custom resource definition',
    look: (render) => [noneOf(render, /^(Namespace|CustomResourceDefinition)$/)],
  },
];

/** Returns the minimum number of pods: of the autoscaler, or else the replica count. */
function minReplicasOf(pod: Pod, render: Render): number {
  const scaler = kinds(render, 'HorizontalPodAutoscaler', 'ScaledObject').find(
    (one) => targetOf(one) === pod.owner.metadata.name,
  );
  return scaler === undefined ? (pod.owner.spec?.replicas ?? 1) : scalerMinimum(scaler);
}

function scalerMinimum(scaler: Manifest | undefined): number {
  const minimum = scaler?.spec?.['minReplicas'] ?? scaler?.spec?.['minReplicaCount'];
  return typeof minimum === 'number' ? minimum : 0;
}

function targetOf({ spec }: Manifest): string {
  const target = spec?.['scaleTargetRef'];
  return typeof target === 'object' && target !== null && 'name' in target ? String(target.name) : '';
}

function matchLabelsOf(selector: unknown): Record<string, string> | undefined {
  return (selector as { matchLabels?: Record<string, string> } | undefined)?.matchLabels;
}

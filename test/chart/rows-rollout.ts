import { each, isOurs, kinds, noneOf, pods, type Row } from './look.ts';
import { containersOf, nameOf, selects, type Manifest } from './manifest.ts';
import { configOf, type Pod, type Render } from './rendered.ts';

const STAYS = ['Deployment', 'StatefulSet'];
const staying = (render: Render): Pod[] => render.pods.filter(({ owner }) => STAYS.includes(owner.kind));

/** What holds while pods come and go: section 2c. */
export const ROLLOUT_ROWS: readonly Row[] = [
  {
    name: 'a rollout never takes away what serves, and is given up in time',
    look: (render) =>
      each(kinds(render, 'Deployment'), nameOf, ({ spec }) => {
        const strategy = JSON.stringify(spec?.['strategy'] ?? {});
        if (!strategy.includes('"maxUnavailable":0')) return strategy;
        const { minReadySeconds, progressDeadlineSeconds, revisionHistoryLimit } = spec ?? {};
        return (minReadySeconds !== 5 || progressDeadlineSeconds !== 300 || revisionHistoryLimit !== 5) && 'figures';
      }),
  },
  {
    name: 'three probes, none like another',
    look: (render) =>
      staying(render).flatMap(({ spec, owner }) =>
        each(
          spec.containers ?? [],
          ({ name }) => `${nameOf(owner)}/${name}`,
          ({ startupProbe, livenessProbe, readinessProbe, ...container }) => {
            if (!startupProbe || !livenessProbe || !readinessProbe) return 'one is missing';
            const [live, ready] = [livenessProbe, readinessProbe].map(({ httpGet, tcpSocket, exec }) =>
              JSON.stringify({ httpGet, tcpSocket, exec }),
            );
            if (live === ready) return 'liveness is readiness';
            return (
              isOurs(container) && (startupProbe.httpGet?.path !== '/startupz' || live?.includes('/livez') !== true) && 'paths'
            );
          },
        ),
      ),
  },
  {
    name: 'the kubelet waits longer than the service takes to stop',
    look: (render) =>
      pods(render, ({ spec, owner }) => {
        const { DRAIN_DELAY_MS, SHUTDOWN_TIMEOUT_MS } = configOf(owner, render);
        const neededSeconds = (Number(DRAIN_DELAY_MS ?? 0) + Number(SHUTDOWN_TIMEOUT_MS ?? 0)) / 1_000;
        return !((spec.terminationGracePeriodSeconds ?? 0) >= neededSeconds + 10) && `less than ${neededSeconds + 10} s`;
      }),
  },
  {
    name: 'a disruption budget exactly where two pods or more are',
    look: (render) =>
      each(
        staying(render).filter(({ owner }) => owner.kind === 'Deployment' && !owner.metadata.name.endsWith('ops-tools')),
        ({ owner }) => nameOf(owner),
        (pod) => {
          const budget = kinds(render, 'PodDisruptionBudget').find(({ spec }) =>
            selects(spec?.selector?.matchLabels, pod.metadata.labels),
          );
          if ((budget !== undefined) !== fewest(pod, render) >= 2) return `${fewest(pod, render)} pods`;
          return budget !== undefined && budget.spec?.['unhealthyPodEvictionPolicy'] !== 'AlwaysAllow' && 'unhealthy pods stay';
        },
      ),
  },
  {
    name: 'pods are spread',
    look: (render) =>
      each(
        staying(render),
        ({ owner }) => nameOf(owner),
        ({ spec, metadata, owner }) => {
          const constraints = spec.topologySpreadConstraints ?? [];
          const other = constraints.filter(({ labelSelector }) => !selects(matchLabelsOf(labelSelector), metadata.labels));
          const perVersion = constraints.every(({ matchLabelKeys }) => Array.isArray(matchLabelKeys));
          if (constraints.length === 0 || other.length > 0) return 'not, or not with its like';
          if (constraints.some(({ nodeTaintsPolicy }) => nodeTaintsPolicy !== 'Honor')) return 'counts nodes that are drained';
          return owner.kind === 'Deployment' && !perVersion && 'across versions';
        },
      ),
  },
  {
    name: 'every Deployment says how many pods it has, not fewer than its one scaler allows',
    look: (render) =>
      each(kinds(render, 'Deployment'), nameOf, ({ metadata, spec }) => {
        const scalers = kinds(render, 'HorizontalPodAutoscaler', 'ScaledObject').filter((one) => targetOf(one) === metadata.name);
        if (scalers.length > 1) return 'two scalers';
        return (spec?.replicas === undefined || spec.replicas < leastOf(scalers[0])) && 'replicas';
      }),
  },
  {
    name: 'a changed setting starts new pods',
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
    name: 'neither namespaces nor definitions',
    look: (render) => [noneOf(render, /^(Namespace|CustomResourceDefinition)$/)],
  },
];

/** Of a workload: its owner counts, 1 where an autoscaler does. */
function fewest(pod: Pod, render: Render): number {
  const scaler = kinds(render, 'HorizontalPodAutoscaler', 'ScaledObject').find(
    (one) => targetOf(one) === pod.owner.metadata.name,
  );
  return scaler === undefined ? (pod.owner.spec?.replicas ?? 1) : leastOf(scaler);
}

function leastOf(scaler: Manifest | undefined): number {
  const least = scaler?.spec?.['minReplicas'] ?? scaler?.spec?.['minReplicaCount'];
  return typeof least === 'number' ? least : 0;
}

function targetOf({ spec }: Manifest): string {
  const target = spec?.['scaleTargetRef'];
  return typeof target === 'object' && target !== null && 'name' in target ? String(target.name) : '';
}

function matchLabelsOf(selector: unknown): Record<string, string> | undefined {
  return (selector as { matchLabels?: Record<string, string> } | undefined)?.matchLabels;
}

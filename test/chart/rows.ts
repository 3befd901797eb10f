import { containersOf, nameOf, podOf, selects, type Container, type Manifest, type PodTemplate } from './manifest.ts';
import { restrictedFaults } from './pod-security.ts';

/** One look at one thing: what it is, and what is wrong with it. Undefined: nothing is. */
export interface Look {
  readonly at: string;
  readonly fault: string | undefined;
}

/** A row of the checklist: what must hold for all things of a kind, in any render. */
export interface Row {
  readonly name: string;
  readonly look: (render: Render) => readonly Look[];
}

export interface Render {
  readonly manifests: readonly Manifest[];
  readonly pods: readonly Pod[];
  readonly containers: readonly OwnedContainer[];
}

export interface Pod extends PodTemplate {
  readonly owner: Manifest;
}

export interface OwnedContainer {
  readonly container: Container;
  readonly pod: Pod;
}

export function renderOf(manifests: readonly Manifest[]): Render {
  const pods = manifests.flatMap((owner) => {
    const template = podOf(owner);
    return template === undefined ? [] : [{ ...template, owner }];
  });
  const containers = pods.flatMap((pod) => containersOf(pod.spec).map((container) => ({ container, pod })));
  return { manifests, pods, containers };
}

const LABELS = ['name', 'instance', 'version', 'component', 'part-of', 'managed-by'].map((name) => `app.kubernetes.io/${name}`);
const SELECTOR = ['name', 'instance', 'component'].map((name) => `app.kubernetes.io/${name}`);
const STAYS = ['Deployment', 'StatefulSet'];

const each = <T>(things: readonly T[], at: (thing: T) => string, faultOf: (thing: T) => string | false | undefined): Look[] =>
  things.map((thing) => ({ at: at(thing), fault: faultOf(thing) || undefined }));
const pods = (render: Render, faultOf: (pod: Pod) => string | false | undefined): Look[] =>
  each(render.pods, ({ owner }) => nameOf(owner), faultOf);
const containers = (render: Render, faultOf: (owned: OwnedContainer) => string | false | undefined): Look[] =>
  each(render.containers, ({ container, pod }) => `${nameOf(pod.owner)}/${container.name}`, faultOf);
const staying = (render: Render): Pod[] => render.pods.filter(({ owner }) => STAYS.includes(owner.kind));
const kinds = (render: Render, ...wanted: string[]): Manifest[] => render.manifests.filter(({ kind }) => wanted.includes(kind));

/** Of a workload: its owner counts, 1 where an autoscaler does. */
function fewest(pod: Pod, render: Render): number {
  const scaler = kinds(render, 'HorizontalPodAutoscaler', 'ScaledObject').find(
    (one) => targetOf(one) === pod.owner.metadata.name,
  );
  const least = scaler?.spec?.['minReplicas'] ?? scaler?.spec?.['minReplicaCount'];
  return typeof least === 'number' ? least : (pod.owner.spec?.replicas ?? 1);
}

export function targetOf({ spec }: Manifest): string {
  const target = spec?.['scaleTargetRef'];
  return typeof target === 'object' && target !== null && 'name' in target ? String(target.name) : '';
}

const isOurs = ({ image }: Container): boolean => /(^|\/)survey[:@]/.test(image);

export const ROWS: readonly Row[] = [
  {
    name: 'C7 every object has the seven labels and its namespace',
    look: ({ manifests }) =>
      each(manifests, nameOf, ({ metadata }) => {
        const missing = [...LABELS, 'helm.sh/chart'].filter((label) => !metadata.labels?.[label]);
        return missing.length > 0 ? missing.join() : metadata.namespace !== 'survey' && 'no namespace';
      }),
  },
  {
    name: 'C7 selectors name what never changes, and nothing else',
    look: (render) =>
      each(kinds(render, 'Deployment', 'StatefulSet'), nameOf, ({ spec }) => {
        const labels = Object.keys(spec?.selector?.matchLabels ?? {}).sort();
        return labels.join() !== [...SELECTOR].sort().join() && labels.join();
      }),
  },
  {
    name: 'C8 names are unique and short enough',
    look: ({ manifests }) =>
      each(manifests, nameOf, (one) => {
        const twins = manifests.filter((other) => nameOf(other) === nameOf(one));
        return twins.length > 1 ? 'comes twice' : one.metadata.name.length > 63 && 'too long';
      }),
  },
  { name: 'S1 Pod Security restricted', look: (render) => pods(render, (pod) => restrictedFaults(pod).join('; ')) },
  {
    name: 'S1 the user is a number above 0',
    look: (render) => pods(render, ({ spec }) => !((spec.securityContext?.runAsUser ?? 0) > 0) && 'no user'),
  },
  {
    name: 'S2 the root file system is read-only, and what is written has a limit',
    look: (render) =>
      containers(render, ({ container, pod }) => {
        const unlimited = (pod.spec.volumes ?? []).filter(
          ({ emptyDir }) => emptyDir !== undefined && !JSON.stringify(emptyDir).includes('sizeLimit'),
        );
        if (container.securityContext?.readOnlyRootFilesystem !== true) return 'root file system';
        return unlimited.map(({ name }) => name).join();
      }),
  },
  {
    name: 'S3 each component has a service account of its own, without a token',
    look: (render) => {
      const accounts = new Map(kinds(render, 'ServiceAccount').map((account) => [account.metadata.name, account]));
      return pods(render, ({ spec, metadata }) => {
        const account = accounts.get(spec.serviceAccountName ?? '');
        const component = 'app.kubernetes.io/component';
        if (account === undefined) return 'no service account in the release';
        if (account.metadata.labels?.[component] !== metadata.labels?.[component]) return 'of another component';
        return (account.automountServiceAccountToken !== false || spec.automountServiceAccountToken !== false) && 'a token';
      });
    },
  },
  { name: 'S3 no rights at the API server', look: (render) => [noneOf(render, /Role|RoleBinding/)] },
  { name: 'S4 no service links', look: (render) => pods(render, ({ spec }) => spec.enableServiceLinks !== false && 'on') },
  {
    name: 'S5 images are pinned, and helpers are our own image',
    look: (render) =>
      containers(render, ({ container, pod }) => {
        if (!/[:@][^/]+$/.test(container.image) || container.image.endsWith(':latest')) return container.image;
        return !isOurs(container) && !['StatefulSet', 'CronJob'].includes(pod.owner.kind) && container.image;
      }),
  },
  {
    name: 'A1 a rollout never takes away what serves, and is given up in time',
    look: (render) =>
      each(kinds(render, 'Deployment'), nameOf, ({ spec }) => {
        const strategy = JSON.stringify(spec?.['strategy'] ?? {});
        if (!strategy.includes('"maxUnavailable":0')) return strategy;
        const { minReadySeconds, progressDeadlineSeconds, revisionHistoryLimit } = spec ?? {};
        return (minReadySeconds !== 5 || progressDeadlineSeconds !== 300 || revisionHistoryLimit !== 5) && 'figures';
      }),
  },
  {
    name: 'A2 three probes, none like another',
    look: (render) =>
      staying(render).flatMap(({ spec, owner }) =>
        each(
          containersOf(spec),
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
    name: 'A5 the kubelet waits longer than the service takes to stop',
    look: (render) =>
      pods(render, ({ spec, owner }) => {
        const { DRAIN_DELAY_MS, FINISH_MS } = configOf(owner, render);
        const neededSeconds = (Number(DRAIN_DELAY_MS ?? 0) + Number(FINISH_MS ?? 0)) / 1_000;
        return !((spec.terminationGracePeriodSeconds ?? 0) >= neededSeconds + 10) && `less than ${neededSeconds + 10} s`;
      }),
  },
  {
    name: 'A6 a disruption budget exactly where two pods or more are',
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
    name: 'A7 pods are spread',
    look: (render) =>
      each(
        staying(render),
        ({ owner }) => nameOf(owner),
        ({ spec, metadata, owner }) => {
          const constraints = spec.topologySpreadConstraints ?? [];
          const other = constraints.filter(({ labelSelector }) => !selects(matchLabelsOf(labelSelector), metadata.labels));
          const perVersion = constraints.every(({ matchLabelKeys }) => Array.isArray(matchLabelKeys));
          if (constraints.length === 0 || other.length > 0) return 'not, or not with its like';
          return owner.kind === 'Deployment' && !perVersion && 'across versions';
        },
      ),
  },
  {
    name: 'A8 everything asks for what it needs; the memory limit is the request',
    look: (render) =>
      containers(render, ({ container: { resources } }) => {
        const { cpu, memory, 'ephemeral-storage': storage } = resources?.requests ?? {};
        if (!cpu || !memory || !storage) return 'a request is missing';
        return resources?.limits?.['memory'] !== memory && 'the memory limit';
      }),
  },
  {
    name: 'A9 the heap is a share of the memory',
    look: (render) =>
      each(
        render.containers.filter(({ container }) => isOurs(container)),
        ({ container, pod }) => `${nameOf(pod.owner)}/${container.name}`,
        ({ container, pod }) => {
          const literal = container.env?.find(({ name }) => name === 'NODE_OPTIONS')?.value;
          const options = literal ?? configOf(pod.owner, render)['NODE_OPTIONS'] ?? '';
          return !/--max-old-space-size-percentage=\d\d/.test(options) && options;
        },
      ),
  },
  {
    name: 'A10 what is scaled names no replicas, and has one scaler',
    look: (render) =>
      each(kinds(render, 'Deployment'), nameOf, ({ metadata, spec }) => {
        const scalers = kinds(render, 'HorizontalPodAutoscaler', 'ScaledObject').filter((one) => targetOf(one) === metadata.name);
        if (scalers.length > 1) return 'two scalers';
        return (spec?.replicas === undefined) !== (scalers.length === 1) && 'replicas';
      }),
  },
  {
    name: 'A11 a changed setting starts new pods',
    look: (render) =>
      pods(render, ({ owner, metadata, spec }) => {
        const configured = containersOf(spec).some(({ envFrom }) => envFrom !== undefined);
        return configured && !/^[0-9a-f]{64}$/.test(metadata.annotations?.['checksum/config'] ?? '') && nameOf(owner);
      }),
  },
  {
    name: 'A12 neither namespaces nor definitions',
    look: (render) => [noneOf(render, /^(Namespace|CustomResourceDefinition)$/)],
  },
  {
    name: 'M1 jobs end, are repeated a few times, and are removed',
    look: (render) =>
      each(kinds(render, 'Job'), nameOf, ({ spec }) => {
        const { backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished } = spec ?? {};
        return (
          [backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished].some((figure) => typeof figure !== 'number') && 'figures'
        );
      }),
  },
  {
    name: 'M2 hooks run before, say when, refer to what is there, and none runs after',
    look: (render) =>
      each(
        render.manifests.filter((one) => hookOf(one) !== '' && hookOf(one) !== 'test'),
        nameOf,
        (one) => {
          if (hookOf(one) !== 'pre-install,pre-upgrade' || !weightOf(one)) return hookOf(one);
          const spec = podOf(one)?.spec;
          if (spec === undefined) return false;
          const account = kinds(render, 'ServiceAccount').find(({ metadata }) => metadata.name === spec.serviceAccountName);
          if (account === undefined || !(weightOf(account) < weightOf(one))) return 'its service account comes later';
          const own = new Set(kinds(render, 'ConfigMap', 'Secret').map(({ metadata }) => metadata.name));
          return (
            containersOf(spec).some(({ envFrom }) => envFrom?.some(({ configMapRef }) => own.has(configMapRef?.name ?? ''))) &&
            'config'
          );
        },
      ),
  },
  {
    name: 'M3 no hooks of Argo CD beside those of Helm',
    look: ({ manifests }) =>
      each(manifests, nameOf, ({ metadata }) => 'argocd.argoproj.io/hook' in (metadata.annotations ?? {}) && 'a hook'),
  },
  {
    name: 'M9 volumes outlive the release',
    look: (render) =>
      each(
        kinds(render, 'StatefulSet').filter(({ spec }) => spec?.['volumeClaimTemplates'] !== undefined),
        nameOf,
        ({ spec }) =>
          !JSON.stringify(spec?.['persistentVolumeClaimRetentionPolicy'] ?? '').includes('"whenDeleted":"Retain"') && 'deleted',
      ),
  },
  {
    name: 'N3 services that speak gRPC are headless, and ports have names',
    look: (render) =>
      each(kinds(render, 'Service'), nameOf, ({ spec }) => {
        const ports = JSON.stringify(spec?.['ports']);
        const isGrpc = ports.includes('"grpc"');
        if (isGrpc && (spec?.['clusterIP'] !== 'None' || !/"appProtocol":"(kubernetes.io\/h2c|https)"/.test(ports)))
          return 'grpc';
        return !ports.includes('"name"') && 'ports';
      }),
  },
  {
    name: 'N7 secrets come by single keys, and none stands anywhere',
    look: (render) => [
      ...containers(render, ({ container: { env = [], envFrom = [] } }) => {
        if (envFrom.some(({ secretRef }) => secretRef !== undefined)) return 'a whole secret';
        return env
          .filter(({ name, value }) => /PASSWORD|SECRET|API_KEY|SMTP_URL/.test(name) && value !== undefined)
          .map(({ name }) => name)
          .join();
      }),
      ...each(
        kinds(render, 'ConfigMap'),
        nameOf,
        ({ data }) => /:\/\/[^/\s]*:[^/\s]*@/.test(JSON.stringify(data)) && 'a password',
      ),
      noneOf(render, /^Secret$/),
    ],
  },
];

function noneOf(render: Render, kind: RegExp): Look {
  const found = render.manifests.filter((manifest) => kind.test(manifest.kind));
  return { at: 'the release', fault: found.length > 0 ? found.map(nameOf).join() : undefined };
}

function hookOf({ metadata }: Manifest): string {
  return metadata.annotations?.['helm.sh/hook'] ?? '';
}

function weightOf({ metadata }: Manifest): number {
  return Number(metadata.annotations?.['helm.sh/hook-weight'] ?? 0);
}

function matchLabelsOf(selector: unknown): Record<string, string> | undefined {
  return (selector as { matchLabels?: Record<string, string> } | undefined)?.matchLabels;
}

/** What the ConfigMaps of a workload's containers tell it. */
export function configOf(owner: Manifest, { manifests }: Pick<Render, 'manifests'>): Record<string, string> {
  const names = containersOf(podOf(owner)?.spec ?? {}).flatMap(({ envFrom = [] }) =>
    envFrom.map(({ configMapRef }) => configMapRef?.name),
  );
  return Object.assign(
    {},
    ...manifests.filter(({ kind, metadata }) => kind === 'ConfigMap' && names.includes(metadata.name)).map(({ data }) => data),
  );
}

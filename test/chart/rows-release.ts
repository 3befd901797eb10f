import { each, kinds, pods, type Row } from './look.ts';
import { containersOf, nameOf, podOf, selects, type Labels, type Manifest } from '../support/chart/manifest.ts';

const COMPONENT = 'app.kubernetes.io/component';
const LABELS: Readonly<Record<string, RegExp>> = {
  'app.kubernetes.io/name': /./,
  'app.kubernetes.io/instance': /^survey$/,
  'app.kubernetes.io/version': /^\d+\.\d+\.\d+/,
  [COMPONENT]: /./,
  'app.kubernetes.io/part-of': /^survey$/,
  'app.kubernetes.io/managed-by': /^Helm$/,
  'helm.sh/chart': /./,
};
const SELECTOR = ['name', 'instance', 'component'].map((name) => `app.kubernetes.io/${name}`);

/** Checklist of the objects of a release: names, hooks, volumes, services. */
export const RELEASE_ROWS: readonly Row[] = [
  {
    name: 'every object has the seven labels and a namespace',
    look: ({ manifests }) =>
      each(manifests, nameOf, ({ metadata }) => {
        const wrong = Object.entries(LABELS).filter(([label, value]) => !value.test(metadata.labels?.[label] ?? ''));
        return wrong.length > 0 ? wrong.map(([label]) => label).join() : metadata.namespace !== 'survey' && 'no namespace';
      }),
  },
  {
    name: 'selectors consist of exactly the constant labels',
    look: (render) =>
      each(kinds(render, 'Deployment', 'StatefulSet'), nameOf, ({ spec }) => {
        const labels = Object.keys(spec?.selector?.matchLabels ?? {}).sort();
        return labels.join() !== [...SELECTOR].sort().join() && labels.join();
      }),
  },
  {
    name: 'pods are of the component of their workload',
    look: (render) =>
      pods(render, ({ owner, metadata }) => metadata.labels?.[COMPONENT] !== owner.metadata.labels?.[COMPONENT] && 'another'),
  },
  {
    name: 'every Service selects the pods of one component',
    look: (render) =>
      each(kinds(render, 'Service'), nameOf, ({ spec }) => {
        const selected = render.pods.filter(({ metadata }) => selects(spec?.selector as Labels | undefined, metadata.labels));
        const components = new Set(selected.map(({ metadata }) => metadata.labels?.[COMPONENT]));
        return components.size !== 1 && `${components.size} components`;
      }),
  },
  {
    name: 'names are unique and at most 63 characters long',
    look: ({ manifests }) =>
      each(manifests, nameOf, (one) => {
        const twins = manifests.filter((other) => nameOf(other) === nameOf(one));
        return twins.length > 1 ? 'duplicate' : one.metadata.name.length > 63 && 'too long';
      }),
  },
  {
    name: 'jobs have a deadline, a retry limit and a time to live',
    look: (render) =>
      each(kinds(render, 'Job'), nameOf, ({ spec }) => {
        const { backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished } = spec ?? {};
        return (
          [backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished].some((figure) => typeof figure !== 'number') && 'figures'
        );
      }),
  },
  {
    name: 'hooks run before install and upgrade, have a weight and use only objects that exist by then',
    look: (render) =>
      each(
        render.manifests.filter((one) => hookOf(one) !== '' && hookOf(one) !== 'test'),
        nameOf,
        (one) => {
          if (hookOf(one) !== 'pre-install,pre-upgrade' || !weightOf(one)) return hookOf(one);
          const spec = podOf(one)?.spec;
          if (spec === undefined) return false;
          const account = kinds(render, 'ServiceAccount').find(({ metadata }) => metadata.name === spec.serviceAccountName);
          if (account === undefined || !(weightOf(account) < weightOf(one))) return 'its service account is created later';
          const own = new Set(kinds(render, 'ConfigMap', 'Secret').map(({ metadata }) => metadata.name));
          return (
            containersOf(spec).some(({ envFrom }) => envFrom?.some(({ configMapRef }) => own.has(configMapRef?.name ?? ''))) &&
            'config'
          );
        },
      ),
  },
  {
    name: 'no object has an Argo CD hook',
    look: ({ manifests }) =>
      each(manifests, nameOf, ({ metadata }) => 'argocd.argoproj.io/hook' in (metadata.annotations ?? {}) && 'a hook'),
  },
  {
    name: 'volumes remain after the release is uninstalled',
    look: (render) =>
      each(
        kinds(render, 'StatefulSet').filter(({ spec }) => spec?.['volumeClaimTemplates'] !== undefined),
        nameOf,
        ({ spec }) =>
          !JSON.stringify(spec?.['persistentVolumeClaimRetentionPolicy'] ?? '').includes('"whenDeleted":"Retain"') && 'deleted',
      ),
  },
  {
    name: 'gRPC services are headless and every port has a name',
    look: (render) =>
      each(kinds(render, 'Service'), nameOf, ({ spec }) => {
        const ports = JSON.stringify(spec?.['ports']);
        const isGrpc = ports.includes('"grpc"');
        if (isGrpc && (spec?.['clusterIP'] !== 'None' || !/"appProtocol":"(kubernetes.io\/h2c|https)"/.test(ports)))
          return 'grpc';
        return !ports.includes('"name"') && 'ports';
      }),
  },
];

function hookOf({ metadata }: Manifest): string {
  return metadata.annotations?.['helm.sh/hook'] ?? '';
}

function weightOf({ metadata }: Manifest): number {
  return Number(metadata.annotations?.['helm.sh/hook-weight'] ?? 0);
}

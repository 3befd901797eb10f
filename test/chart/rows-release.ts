import { each, kinds, type Row } from './look.ts';
import { containersOf, nameOf, podOf, type Manifest } from '../support/chart/manifest.ts';

const LABELS = ['name', 'instance', 'version', 'component', 'part-of', 'managed-by'].map((name) => `app.kubernetes.io/${name}`);
const SELECTOR = ['name', 'instance', 'component'].map((name) => `app.kubernetes.io/${name}`);

/** Checklist of the objects of a release: names, hooks, volumes, services. */
export const RELEASE_ROWS: readonly Row[] = [
  {
    name: 'every object has the seven labels and a namespace',
    look: ({ manifests }) =>
      each(manifests, nameOf, ({ metadata }) => {
        const missing = [...LABELS, 'helm.sh/chart'].filter((label) => !metadata.labels?.[label]);
        return missing.length > 0 ? missing.join() : metadata.namespace !== 'survey' && 'no namespace';
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

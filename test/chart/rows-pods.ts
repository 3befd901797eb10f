import { containers, each, isOurs, kinds, noneOf, pods, type Row } from './look.ts';
import { nameOf } from '../support/chart/manifest.ts';
import { restrictedFaults } from './pod-security.ts';
import { configOf } from '../support/chart/rendered.ts';

/** Checklist of pods and containers. */
export const POD_ROWS: readonly Row[] = [
  {
    name: 'every pod meets Pod Security "restricted"',
    look: (render) => pods(render, (pod) => restrictedFaults(pod).join('; ')),
  },
  {
    name: 'every pod has a numeric user ID above 0',
    look: (render) => pods(render, ({ spec }) => !((spec.securityContext?.runAsUser ?? 0) > 0) && 'no user'),
  },
  {
    name: 'every root file system is read-only and every emptyDir has a size limit',
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
    name: 'every component has its own service account without a token',
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
  { name: 'no role grants access to the API server', look: (render) => [noneOf(render, /Role|RoleBinding/)] },
  {
    name: 'every pod disables service links',
    look: (render) => pods(render, ({ spec }) => spec.enableServiceLinks !== false && 'on'),
  },
  {
    name: 'every image is pinned, and only stores do not use the product image',
    look: (render) =>
      containers(render, ({ container, pod }) => {
        if (!/[:@][^/]+$/.test(container.image) || container.image.endsWith(':latest')) return container.image;
        return !isOurs(container) && !['StatefulSet', 'CronJob'].includes(pod.owner.kind) && container.image;
      }),
  },
  {
    name: 'every container has requests and a memory limit equal to its request',
    look: (render) =>
      containers(render, ({ container: { resources } }) => {
        const { cpu, memory, 'ephemeral-storage': storage } = resources?.requests ?? {};
        if (!cpu || !memory || !storage) return 'a request is missing';
        return resources?.limits?.['memory'] !== memory && 'the memory limit';
      }),
  },
  {
    name: 'the maximum heap size is a share of the memory limit',
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
    name: 'secrets are files, referenced by key, and contained in no object',
    look: (render) => [
      ...containers(render, ({ container }) => {
        const { env = [], envFrom = [] } = container;
        if (envFrom.some(({ secretRef }) => secretRef !== undefined)) return 'a whole secret';
        if (isOurs(container) && env.some(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined)) return 'a variable';
        return env
          .filter(({ name, value }) => /PASSWORD|SECRET$|API_KEY|SMTP_URL/.test(name) && value !== undefined)
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

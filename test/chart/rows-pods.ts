import { containers, each, isOurs, kinds, noneOf, pods, type Row } from './look.ts';
import { nameOf } from './manifest.ts';
import { restrictedFaults } from './pod-security.ts';
import { configOf } from './rendered.ts';

/** What holds for every pod and container: sections 2b and 2c. */
export const POD_ROWS: readonly Row[] = [
  { name: 'Pod Security restricted', look: (render) => pods(render, (pod) => restrictedFaults(pod).join('; ')) },
  {
    name: 'the user is a number above 0',
    look: (render) => pods(render, ({ spec }) => !((spec.securityContext?.runAsUser ?? 0) > 0) && 'no user'),
  },
  {
    name: 'the root file system is read-only, and what is written has a limit',
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
    name: 'each component has a service account of its own, without a token',
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
  { name: 'no rights at the API server', look: (render) => [noneOf(render, /Role|RoleBinding/)] },
  { name: 'no service links', look: (render) => pods(render, ({ spec }) => spec.enableServiceLinks !== false && 'on') },
  {
    name: 'images are pinned, and helpers are our own image',
    look: (render) =>
      containers(render, ({ container, pod }) => {
        if (!/[:@][^/]+$/.test(container.image) || container.image.endsWith(':latest')) return container.image;
        return !isOurs(container) && !['StatefulSet', 'CronJob'].includes(pod.owner.kind) && container.image;
      }),
  },
  {
    name: 'everything asks for what it needs; the memory limit is the request',
    look: (render) =>
      containers(render, ({ container: { resources } }) => {
        const { cpu, memory, 'ephemeral-storage': storage } = resources?.requests ?? {};
        if (!cpu || !memory || !storage) return 'a request is missing';
        return resources?.limits?.['memory'] !== memory && 'the memory limit';
      }),
  },
  {
    name: 'the heap is a share of the memory',
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
    name: 'secrets come by single keys, and none stands anywhere',
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

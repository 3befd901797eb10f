import { readFile } from 'node:fs/promises';
import { describe, expect, inject, test } from 'vitest';
import { readComponents } from '../support/chart/components.ts';
import { nameOf, selects, type Labels, type Manifest } from '../support/chart/manifest.ts';
import { combinations, render } from '../support/chart/render.ts';
import { configOf, renderOf, type Pod, type Render } from '../support/chart/rendered.ts';

// The port of the URL that docs/runbooks/install.md gives the profiles.
const INSTALL = await readFile(new URL('../../docs/runbooks/install.md', import.meta.url), 'utf8');
const MAIL_PORT = /smtps:\/\/\S+:(\d+)/.exec(INSTALL)?.[1];

interface Rule {
  readonly ports?: readonly { readonly port: string | number }[];
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
}

interface Peer {
  readonly podSelector?: { readonly matchLabels?: Labels };
  readonly namespaceSelector?: unknown;
}

const components = readComponents();
const COMPONENT = 'app.kubernetes.io/component';
const componentOf = (pod: Pod): string => pod.metadata.labels?.[COMPONENT] ?? '';
const rulesOf = (policy: Manifest, way: 'ingress' | 'egress'): readonly Rule[] => (policy.spec?.[way] ?? []) as readonly Rule[];

function policiesOf(pod: Pod, { manifests }: Render): Manifest[] {
  return manifests.filter(
    ({ kind, spec }) =>
      kind === 'NetworkPolicy' && selects((spec?.['podSelector'] as Peer['podSelector'])?.matchLabels, pod.metadata.labels),
  );
}

// Returns the allowed destinations of a pod: `component:port`, or `any:port` outside the release.
function destinationsOf(pod: Pod, rendered: Render): Set<string> {
  const rules = policiesOf(pod, rendered).flatMap((policy) => rulesOf(policy, 'egress'));
  return new Set(
    rules.flatMap(({ ports = [], to = [] }) =>
      ports.flatMap(({ port }) => peersOf(to, rendered).map((peer) => `${peer}:${port}`)),
    ),
  );
}

function peersOf(peers: readonly Peer[], rendered: Render): string[] {
  if (peers.length === 0) return ['any'];
  return peers.flatMap(({ podSelector }) => {
    if (podSelector === undefined) return ['others'];
    const chosen = rendered.pods.filter((pod) => selects(podSelector.matchLabels, pod.metadata.labels)).map(componentOf);
    return [...new Set(chosen)];
  });
}

function portsIn(pod: Pod, from: string, rendered: Render): (string | number)[] {
  const caller = rendered.pods.find((other) => componentOf(other) === from);
  return policiesOf(pod, rendered)
    .flatMap((policy) => rulesOf(policy, 'ingress'))
    .filter(({ from: peers = [] }) =>
      peers.some(({ podSelector }) => podSelector && selects(podSelector.matchLabels, caller?.metadata.labels)),
    )
    .flatMap(({ ports = [] }) => ports.map(({ port }) => port));
}

const { helm3 } = inject('tools');

describe.skipIf(helm3 === undefined)('network policies', async () => {
  const files = helm3 === undefined ? [] : (await combinations()).filter((file) => !file.includes('open'));
  const renders = await Promise.all(files.map(async (file) => [file, renderOf(await render({ values: [file] }))] as const));

  test.each(renders)('in %s select every pod and deny all other traffic', (_, rendered) => {
    const open = rendered.pods.filter((pod) => policiesOf(pod, rendered).length < 2).map(({ owner }) => nameOf(owner));
    expect(open).toEqual([]);
    const deny = rendered.manifests.find(({ metadata }) => metadata.name.endsWith('default-deny'));
    expect(deny?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
    expect([deny?.spec?.['ingress'], deny?.spec?.['egress']]).toEqual([undefined, undefined]);
  });

  test.each(renders)('in %s let a service reach only its configured stores and upstream services', (file, rendered) => {
    const bundled = file.includes('small') || file.includes('bundled');
    const store = (name: string, port: number): string => `${bundled ? name : 'any'}:${port}`;
    for (const pod of rendered.pods.filter((pod) => componentOf(pod) in components && pod.owner.kind === 'Deployment')) {
      const facts = components[componentOf(pod)];
      const present = rendered.pods.map(componentOf);
      const mail = file.includes('profiles/') ? file !== 'profiles/small.yaml' : file.includes('external-secrets');
      const destinations = destinationsOf(pod, rendered);
      const poolers = destinations.has('any:5432');
      const expected = [
        'any:53',
        'any:5353',
        ...(facts?.calls ?? []).filter((called) => present.includes(called)).map((called) => `${called}:50051`),
        ...(poolers || bundled ? [store('postgres', 5432)] : []),
        ...(facts?.replicaConnections !== undefined && file.includes('postgres-replica') ? ['any:5433'] : []),
        store('nats', 4222),
        ...(facts?.stores.includes('redis') === true ? [store('redis', 6379)] : []),
        ...(facts?.stores.includes('redis') === true && file.includes('external-values') ? ['any:26379'] : []),
        ...(facts?.stores.includes('smtp') === true && mail ? [`any:${file.includes('profiles/') ? MAIL_PORT : 587}`] : []),
        ...(file.includes('traces') ? ['any:4318'] : []),
      ];
      expect({ component: componentOf(pod), destinations: [...destinations].sort() }).toEqual({
        component: componentOf(pod),
        destinations: expected.sort(),
      });
    }
  });

  test.each(renders)('in %s allow every address of an environment', (_, rendered) => {
    for (const pod of rendered.pods) {
      const settings = configOf(pod.owner, rendered);
      const literals = pod.spec.containers?.flatMap(({ env = [] }) => env.map(({ value = '' }) => value)) ?? [];
      const ports = [
        ...Object.entries(settings)
          .filter(([name]) => !name.endsWith('_LISTEN'))
          .map(([, value]) => value),
        ...literals,
      ].flatMap((value) => [...value.matchAll(/(?:svc\.cluster\.local|example\.org|observability):(\d+)/g)]);
      const open = [...destinationsOf(pod, rendered)].map((destination) => destination.split(':')[1]);
      expect(ports.map(([, port]) => port).filter((port) => !open.includes(port ?? ''))).toEqual([]);
    }
  });

  test.each(renders)('in %s allow all clients only at the gateway, and only callers at other services', (_, rendered) => {
    for (const pod of rendered.pods.filter((pod) => pod.owner.kind === 'Deployment' && componentOf(pod) in components)) {
      const name = componentOf(pod);
      const unrestricted = policiesOf(pod, rendered)
        .flatMap((policy) => rulesOf(policy, 'ingress'))
        .filter(({ from = [] }) => from.length === 0);
      expect({ name, isAllowed: name === 'gateway' || unrestricted.length === 0 }).toEqual({ name, isAllowed: true });
      const callers = Object.keys(components).filter((other) => portsIn(pod, other, rendered).includes('grpc'));
      const declared = Object.keys(components).filter((other) => components[other]?.calls.includes(name));
      const present = rendered.pods.map(componentOf);
      expect({ name, callers }).toEqual({
        name,
        callers: name === 'gateway' ? [] : declared.filter((other) => present.includes(other)),
      });
    }
  });

  test('let the job reach the stores before the release exists, when it is a hook', async () => {
    const policyIn = async (values: string) =>
      (await render({ values: [values] })).find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'survey-prepare',
      );
    expect((await policyIn('profiles/ha.yaml'))?.metadata.annotations).toMatchObject({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-weight': '-20',
    });
    expect((await policyIn('profiles/small.yaml'))?.metadata.annotations).toBeUndefined();
  });
});

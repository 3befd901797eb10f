import { z } from 'zod';

/** A Kubernetes object: the fields that the tests read. The strict schemas check its shape. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly spec?: Spec;
  readonly data?: Readonly<Record<string, string>>;
  readonly automountServiceAccountToken?: boolean;
}

export type Labels = Readonly<Record<string, string>>;

// Union of the fields that tests read, over all kinds.
interface Spec extends PodSpec {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels?: Labels };
  readonly template?: PodTemplate;
  readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } };
  readonly [key: string]: unknown;
}

export interface PodTemplate {
  readonly metadata: { readonly labels?: Labels; readonly annotations?: Labels };
  readonly spec: PodSpec;
}

export interface PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
  readonly volumes?: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
  readonly securityContext?: SecurityContext;
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly topologySpreadConstraints?: readonly Readonly<Record<string, unknown>>[];
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly hostUsers?: boolean;
  readonly os?: { readonly name: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly hostPort?: number }[];
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
  readonly securityContext?: SecurityContext;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly postStart?: Probe; readonly preStop?: Probe };
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string | number; readonly host?: string };
  readonly tcpSocket?: { readonly port: string | number; readonly host?: string };
  readonly exec?: { readonly command: readonly string[] };
}

export interface SecurityContext {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly procMount?: string;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly seccompProfile?: { readonly type: string };
  readonly appArmorProfile?: { readonly type: string };
  readonly seLinuxOptions?: { readonly type?: string; readonly user?: string; readonly role?: string };
  readonly sysctls?: readonly { readonly name: string }[];
  readonly windowsOptions?: { readonly hostProcess?: boolean };
}

const projection = z.object({
  projected: z.object({
    sources: z.array(
      z.object({ secret: z.object({ name: z.string(), items: z.array(z.object({ key: z.string(), path: z.string() })) }) }),
    ),
  }),
});

/** Returns the files of a pod's projected secrets, each with its secret and key. */
export function secretFilesOf({ volumes = [] }: PodSpec): { path: string; secret: string; key: string }[] {
  const sources = volumes.flatMap((volume) => projection.safeParse(volume).data?.projected.sources ?? []);
  return sources.flatMap(({ secret }) => secret.items.map(({ key, path }) => ({ path, secret: secret.name, key })));
}

/** Returns the pod template of a workload; undefined for objects without pods. */
export function podOf({ kind, metadata, spec }: Manifest): PodTemplate | undefined {
  if (kind === 'Pod') return { metadata, spec: spec ?? {} };
  return spec?.template ?? spec?.jobTemplate?.spec.template;
}

export function containersOf({ containers = [], initContainers = [], ephemeralContainers = [] }: PodSpec): Container[] {
  return [...initContainers, ...containers, ...ephemeralContainers];
}

export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

/** Returns whether a selector matches labels. */
export function selects(selector: Labels | undefined, labels: Labels | undefined): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => labels?.[key] === value);
}

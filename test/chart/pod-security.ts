import {
  containersOf,
  type Container,
  type Labels,
  type PodSpec,
  type PodTemplate,
  type SecurityContext,
} from '../support/chart/manifest.ts';

const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
  'net.ipv4.tcp_slow_start_after_idle',
  'net.ipv4.tcp_notsent_lowat',
];
const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

/** Returns the violations of the Pod Security Standard "restricted" in a pod. */
export function restrictedFaults({ metadata, spec }: PodTemplate): string[] {
  const containers = containersOf(spec);
  const windows = spec.os?.name === 'windows';
  return [
    ...hostFaults(spec),
    ...volumeFaults(spec),
    ...annotationFaults(metadata.annotations),
    ...contextFaults('pod', spec.securityContext),
    ...containers.flatMap(containerFaults),
    ...rootFaults(spec, containers),
    ...(windows ? [] : [...seccompFaults(spec, containers), ...containers.flatMap(linuxFaults)]),
  ];
}

function hostFaults({ hostNetwork, hostPID, hostIPC }: PodSpec): string[] {
  const used = Object.entries({ hostNetwork, hostPID, hostIPC }).filter(([, value]) => value === true);
  return used.map(([name]) => `pod: ${name}`);
}

function volumeFaults({ volumes = [] }: PodSpec): string[] {
  // A volume without a source is an emptyDir.
  const forbidden = volumes.filter((volume) => Object.keys(volume).some((key) => key !== 'name' && !VOLUMES.includes(key)));
  return forbidden.map(({ name }) => `volume ${name}: its kind`);
}

function annotationFaults(annotations: Labels = {}): string[] {
  return Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(APPARMOR) && value !== 'runtime/default' && !value.startsWith('localhost/'))
    .map(([key]) => `annotation ${key}`);
}

// Settings that are allowed on both pods and containers.
function contextFaults(where: string, context: SecurityContext = {}): string[] {
  const { seLinuxOptions, appArmorProfile, seccompProfile, sysctls = [], windowsOptions, runAsUser, runAsNonRoot } = context;
  const { type = '', user = '', role = '' } = seLinuxOptions ?? {};
  const faults = {
    seLinuxOptions: !SELINUX_TYPES.includes(type) || user !== '' || role !== '',
    appArmorProfile: appArmorProfile?.type === 'Unconfined',
    seccompProfile: seccompProfile?.type === 'Unconfined',
    sysctls: sysctls.some(({ name }) => !SYSCTLS.includes(name)),
    hostProcess: windowsOptions?.hostProcess === true,
    runAsUser: runAsUser === 0,
    runAsNonRoot: runAsNonRoot === false,
  };
  return namesOf(faults).map((fault) => `${where}: ${fault}`);
}

function containerFaults(container: Container): string[] {
  const { name, ports = [], securityContext = {}, lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const handlers = [lifecycle?.postStart, lifecycle?.preStop, livenessProbe, readinessProbe, startupProbe];
  const faults = {
    privileged: securityContext.privileged === true,
    procMount: (securityContext.procMount ?? 'Default') !== 'Default',
    hostPort: ports.some(({ hostPort = 0 }) => hostPort !== 0),
    host: handlers.some((handler) => (handler?.httpGet?.host ?? handler?.tcpSocket?.host ?? '') !== ''),
  };
  return [...namesOf(faults).map((fault) => `${name}: ${fault}`), ...contextFaults(name, securityContext)];
}

function linuxFaults({ name, securityContext = {} }: Container): string[] {
  const { add = [], drop = [] } = securityContext.capabilities ?? {};
  const faults = {
    allowPrivilegeEscalation: securityContext.allowPrivilegeEscalation !== false,
    'capabilities.add': add.some((capability) => capability !== 'NET_BIND_SERVICE'),
    'capabilities.drop': !drop.includes('ALL'),
  };
  return namesOf(faults).map((fault) => `${name}: ${fault}`);
}

function rootFaults({ securityContext, hostUsers }: PodSpec, containers: readonly Container[]): string[] {
  // In a user namespace, root has no privileges on the host.
  if (hostUsers === false || securityContext?.runAsNonRoot === true) return [];
  return containers
    .filter((container) => container.securityContext?.runAsNonRoot !== true)
    .map(({ name }) => `${name}: can run as root`);
}

function seccompFaults({ securityContext }: PodSpec, containers: readonly Container[]): string[] {
  if (securityContext?.seccompProfile !== undefined) return [];
  return containers
    .filter((container) => !container.securityContext?.seccompProfile)
    .map(({ name }) => `${name}: no seccomp profile`);
}

function namesOf(faults: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(faults)
    .filter(([, isFault]) => isFault)
    .map(([name]) => name);
}

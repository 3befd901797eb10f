import { describe, expect, inject, test } from 'vitest';
import { template } from '../support/chart/render.ts';

const SMALL = 'profiles/small.yaml';
const EXTERNAL = 'ci/external-values.yaml';

// Title, values file, invalid values, and the text that the error message must contain.
const REJECTED_VALUES: readonly (readonly [string, string | undefined, readonly string[], string])[] = [
  ['an unknown top-level value', SMALL, ['logLevl=info'], 'logLevl'],
  ['an unknown value of a service', SMALL, ['components.gateway.replica=2'], 'replica'],
  ['an unknown nested value', SMALL, ['defaults.shutdown.graceSecond=2'], 'graceSecond'],
  ['an unknown value of the bundled stores', SMALL, ['bundled.postgres.storage.sise=1Gi'], 'sise'],
  ['a misspelt bundled.enabled', EXTERNAL, ['bundled.enable=true'], 'enable'],
  ['a service that does not exist', SMALL, ['components.scoring.replicas=2'], 'scoring'],
  ['a setting of another service', SMALL, ['components.export.settings.importConcurrency=2'], 'settings'],
  [
    'a variable that is given twice',
    SMALL,
    ['defaults.extraEnv[0].name=TZ', 'defaults.extraEnv[0].value=UTC', 'defaults.extraEnv[1].name=TZ'],
    'extraEnv has two items with the name TZ',
  ],
  [
    'imports that can be allowed after they are deleted',
    SMALL,
    ['components.import-reconciler.settings.allowDeletesDays=31'],
    'allowDeletesDays is above importRetentionDays',
  ],
  ['a string instead of a number', SMALL, ['components.gateway.replicas=two'], 'replicas'],
  ['a log level that does not exist', SMALL, ['logLevel=verbose'], 'logLevel'],
  [
    'a collector without a port',
    EXTERNAL,
    ['openTelemetry.endpoint=http://collector'],
    'openTelemetry.endpoint must be a URL such',
  ],
  [
    'a port that does not exist',
    EXTERNAL,
    ['openTelemetry.endpoint=http://collector:65536'],
    'openTelemetry.endpoint must be a URL such',
  ],
  ['a Prometheus without a scheme', EXTERNAL, ['monitoring.prometheusUrl=prometheus:9090'], 'monitoring.prometheusUrl must be'],
  ['a proxy with a path', EXTERNAL, ['console.providerProxy=http://proxy:3128/'], 'console.providerProxy must be'],
  [
    'a scheme of the monitoring endpoint',
    EXTERNAL,
    ['nats.monitoringEndpoint=http://nats:8222'],
    'nats.monitoringEndpoint must be host:port',
  ],
  ['a TLS mode that does not check the certificate', EXTERNAL, ['postgres.sslMode=require'], 'sslMode'],
  ['a TLS mode that does not check the host name', EXTERNAL, ['postgres.sslMode=verify-ca'], 'sslMode'],
  ['a port in the host of PostgreSQL', EXTERNAL, ['postgres.host=db:5432'], 'postgres.host must be one host name'],
  ['a host that ends with a space', EXTERNAL, ['redis.host=redis.example.org '], 'redis.host must be one host name'],
  ['an IPv6 address in brackets', EXTERNAL, ['postgres.migrationHost=[fd00::1]'], 'postgres.migrationHost must be one host name'],
  ['an IPv4 address above 255', EXTERNAL, ['postgres.host=10.0.0.300'], 'postgres.host has the form of an IP address'],
  ['an IPv4 address of three numbers', EXTERNAL, ['nats.host=10.0.0'], 'nats.host has the form of an IP address'],
  ['an IPv6 address with two gaps', EXTERNAL, ['redis.host=fd00::1::2'], 'redis.host has the form of an IP address'],
  ['an IPv6 address of nine groups', EXTERNAL, ['postgres.replica.host=1:2:3:4:5:6:7:8:9'], 'postgres.replica.host has the form'],
  ['a hexadecimal address', EXTERNAL, ['postgres.host=0x7f.1'], 'postgres.host must be one host name'],
  ['a host with an empty part', EXTERNAL, ['postgres.host=db..example.org'], 'postgres.host must be one host name'],
  ['a host with a trailing dot', EXTERNAL, ['nats.host=nats.example.org.'], 'nats.host must be one host name'],
  ['a part of a host above 63 characters', EXTERNAL, [`redis.host=${'a'.repeat(64)}.org`], 'redis.host must be one host name'],
  ['a host above 253 characters', EXTERNAL, [`postgres.host=${'a.'.repeat(127)}a`], 'postgres.host must be one host name'],
  ['a collector at no address', EXTERNAL, ['openTelemetry.endpoint=http://10.0.0.300:4318'], 'an IPv6 address in brackets'],
  ['an IPv6 collector without brackets', EXTERNAL, ['openTelemetry.endpoint=http://fd00::1:4318'], 'an IPv6 address in brackets'],
  ['brackets without an IPv6 address', EXTERNAL, ['nats.monitoringEndpoint=[nats]:8222'], 'nats.monitoringEndpoint must be'],
  ['mail from a domain that cannot be', EXTERNAL, ['smtp.from=Survey <survey@example..org>'], 'smtp.from must be an address'],
  [
    'a registry at a port that does not exist',
    EXTERNAL,
    ['global.imageRegistry=r.example.org:65536'],
    'global.imageRegistry must be',
  ],
  [
    'answers that one of two services deletes',
    EXTERNAL,
    ['components.scoring-anonymity.settings.answerRetentionDays=30'],
    'answerRetentionDays differ',
  ],
  ['the placeholder of a profile', 'profiles/managed.yaml', ['redis.host=redis.invalid'], 'redis.host is still the placeholder'],
  ['several hosts of NATS', EXTERNAL, ['nats.host=a\\,b\\,c'], 'nats.host must be one host name'],
  ['a registry with a scheme', EXTERNAL, ['global.imageRegistry=https://registry.example.org'], 'global.imageRegistry must be'],
  ['a repository with a tag', EXTERNAL, ['image.repository=survey:1.0.0'], 'the tag is image.tag'],
  ['a repository in capital letters', EXTERNAL, ['image.repository=Survey'], 'small letters'],
  ['a size of a stream that does not exist', EXTERNAL, ['nats.streamMaxBytes.INTAK=1048576'], 'INTAK'],
  ['mail from an address that does not exist', EXTERNAL, ['smtp.enabled=true'], 'smtp.from'],
  ['the endpoint of a Redis Cluster', EXTERNAL, ['redis.host=clustercfg.survey.cache.amazonaws.com'], 'Redis Cluster'],
  ['one without TLS', EXTERNAL, ['redis.host=survey.abc123.clustercfg.euw1.cache.amazonaws.com'], 'Redis Cluster'],
  ['half an address of mails', EXTERNAL, ['smtp.from=Survey <survey@example.org'], 'smtp.from must be an address'],
  ['no PostgreSQL', undefined, [], 'postgres.host is required'],
  ['no secret for PostgreSQL', EXTERNAL, ['postgres.existingSecret='], 'existingSecret'],
  ['memory without a unit', SMALL, ['components.gateway.resources.memory=256'], 'memory'],
  ['the image tag latest', SMALL, ['image.tag=latest'], 'tag'],
  ['a CPU limit below the request', SMALL, ['components.export.resources.cpuLimit=50m'], 'components.export.resources.cpuLimit'],
  ['a rollout that can replace no pod', SMALL, ['defaults.rollout.maxSurge=0'], 'maxSurge and maxUnavailable'],
  ['no pods of a service', SMALL, ['components.export.replicas=0'], 'replicas'],
  ['a negative number as a string', EXTERNAL, ['postgres.reservedConnections="-5"'], 'reservedConnections'],
  [
    'a host of the gateway for the console',
    'ci/ingress-values.yaml',
    ['console.enabled=true', 'console.host=survey.example.org'],
    'console.host',
  ],
  ['a host twice', 'ci/ingress-values.yaml', ['ingress.hosts={a.example.org,a.example.org}'], 'hosts'],
  ['a malformed digest', SMALL, ['image.digest=sha256:abc'], 'digest'],
  [
    'minReplicas above maxReplicas',
    EXTERNAL,
    ['components.export.autoscaling.type=hpa', 'components.export.autoscaling.minReplicas=9'],
    'components.export.autoscaling.minReplicas',
  ],
  ['two autoscaler types', EXTERNAL, ['components.export.autoscaling.type=hpa\\,keda'], 'type'],
  [
    'KEDA for a service without a queue',
    EXTERNAL,
    ['components.export.autoscaling.type=keda'],
    'components.export.autoscaling.type',
  ],
  [
    'KEDA without a NATS monitoring endpoint',
    EXTERNAL,
    ['components.import-reconciler.autoscaling.type=keda'],
    'nats.monitoringEndpoint',
  ],
  [
    'an autoscaler for account-admin',
    EXTERNAL,
    ['components.account-admin.autoscaling.type=hpa'],
    'components.account-admin.autoscaling.type',
  ],
  [
    'more connections than PostgreSQL accepts',
    'profiles/ha.yaml',
    ['postgres.maxConnections=200'],
    'export 25 for each of 7 pods',
  ],
  [
    'more connections than the replica accepts',
    'profiles/ha.yaml',
    ['postgres.replica.host=db-ro.example.org', 'postgres.replica.maxConnections=100'],
    'postgres.replica.maxConnections',
  ],
  ['a replica beside the bundled PostgreSQL', SMALL, ['postgres.replica.host=db-ro.example.org'], 'postgres.replica.host'],
  [
    'a replica beside Citus',
    EXTERNAL,
    ['postgres.citus.enabled=true', 'postgres.replica.host=db-ro.example.org'],
    'postgres.citus',
  ],
  ['a replica with too high a maximum lag', EXTERNAL, ['postgres.replica.maxLagSeconds=3600'], 'maxLagSeconds'],
  ['an unknown value of the replica', EXTERNAL, ['postgres.replica.maxLag=5'], 'maxLag'],
  [
    'an answer cache that does not fit beside the heap',
    EXTERNAL,
    ['components.scoring-anonymity.settings.answerCacheMb=512'],
    'answerCacheMb',
  ],
  ['a heap that leaves too little for what is outside it', EXTERNAL, ['components.export.heapPercent=70'], 'components.export'],
  ['the masker outside, which was removed', EXTERNAL, ['presidio.url=http://presidio.example.org:3000'], 'presidio'],
  ['models outside, which were removed', EXTERNAL, ['textModels.url=https://models.example.org/v1'], 'textModels'],
  ['migrations as a hook with the bundled PostgreSQL', SMALL, ['migrations.mode=hook'], 'migrations.mode'],
  ['both a PostgreSQL host and the bundled PostgreSQL', SMALL, ['postgres.host=db.example.org'], 'postgres.host'],
  ['more stream replicas than NATS servers', SMALL, ['nats.streamReplicas=3'], 'nats.streamReplicas'],
  ['an even number of stream replicas', EXTERNAL, ['nats.streamReplicas=2'], 'streamReplicas'],
  ['an HTTP route without a parent gateway', EXTERNAL, ['gatewayApi.enabled=true'], 'parentRefs'],
  ['an ingress without a host', EXTERNAL, ['ingress.enabled=true'], 'hosts'],
  ['cert-manager without an issuer', EXTERNAL, ['tls.certManager.enabled=true'], 'name'],
  ['external secrets without a secret store', EXTERNAL, ['externalSecrets.enabled=true'], 'name'],
  ['a longer stop than services allow', SMALL, ['defaults.shutdown.timeoutSeconds=2101'], 'timeoutSeconds'],
  ['backups in no namespace', EXTERNAL, ['monitoring.prometheusRule.backups.cluster=survey-db'], 'backups/namespace'],
  [
    'the exclusion of an alert that does not exist',
    'profiles/ha.yaml',
    ['monitoring.prometheusRule.exclude[0]=NoSuchAlert'],
    'NoSuchAlert',
  ],
  // Values that the API server would reject halfway through an upgrade.
  ['a disruption budget above 100 %', 'profiles/ha.yaml', ['defaults.podDisruptionBudget.maxUnavailable=150%'], 'maxUnavailable'],
  [
    'an unknown field in a toleration',
    SMALL,
    ['defaults.tolerations[0].key=a', 'defaults.tolerations[0].efect=NoSchedule'],
    'efect',
  ],
  [
    'a toleration with the operator Exists and a value',
    SMALL,
    ['opsTools.tolerations[0].key=a', 'opsTools.tolerations[0].operator=Exists', 'opsTools.tolerations[0].value=b'],
    'value',
  ],
  ['an unknown field in an affinity', SMALL, ['migrations.affinity.nodeAffinty.x=1'], 'nodeAffinty'],
  ['a volume for the bundled Redis', SMALL, ['bundled.redis.storage.size=1Gi'], 'redis'],
  ['an unknown field in the toleration of a store', SMALL, ['bundled.nats.tolerations[0].kye=a'], 'kye'],
  [
    'a label that is part of a selector',
    SMALL,
    ['defaults.podLabels.app\\.kubernetes\\.io/component=x'],
    'app.kubernetes.io/component',
  ],
  ['a label with a space', SMALL, ['defaults.podLabels.team=two words'], 'team'],
  [
    'a variable with two sources',
    SMALL,
    ['defaults.extraEnv[0].name=A', 'defaults.extraEnv[0].value=b', 'defaults.extraEnv[0].valueFrom.fieldRef.fieldPath=c'],
    'extraEnv',
  ],
  [
    'an unknown field in a network policy peer',
    EXTERNAL,
    ['networkPolicy.gatewayFrom[0].podSelector.matchLabel.a=b'],
    'matchLabel',
  ],
  [
    'a peer that is both an address range and pods',
    EXTERNAL,
    ['networkPolicy.natsTo[0].ipBlock.cidr=10.0.0.0/8', 'networkPolicy.natsTo[0].podSelector.matchLabels.a=b'],
    'natsTo',
  ],
  [
    'two IP families of one stack',
    EXTERNAL,
    ['components.gateway.service.ipFamilyPolicy=SingleStack', 'components.gateway.service.ipFamilies={IPv4,IPv6}'],
    'ipFamilies',
  ],
  ['a malformed address range', EXTERNAL, ['networkPolicy.natsTo[0].ipBlock.cidr=10.0.0.1'], 'cidr'],
  ['a disabled service that other services call', EXTERNAL, ['components.export.enabled=false'], 'components.export.enabled'],
  ['a toolbox without the service that it calls', SMALL, ['components.account-admin.enabled=false'], 'opsTools.enabled'],
  ['a node port for a headless service', EXTERNAL, ['components.export.service.type=NodePort'], 'components.export.service.type'],
];

// The schema names all faults at once.
const MALFORMED: Readonly<Record<string, string>> = {
  clusterDomain: 'cluster..local',
  'components.account-admin.settings.operatorIssuers': 'login.example.org',
  'components.gateway.resources.cpu': '100Mi',
  'components.gateway.resources.memory': '512',
  'console.host': 'https://survey.example.org',
  'defaults.extraVolumeMounts[0].mountPath': 'data',
  'defaults.hostAliases[0].ip': '300.0.0.1',
  'defaults.hostAliases[1].ip': 'fd00:::1',
  'defaults.rollout.minReadySeconds': '300',
  'extraCa.configMap': 'Survey_CA',
  'externalSecrets.storeRef.name': 'Vault',
  'global.imagePullSecrets[0]': 'pull secret',
  'gatewayApi.parentRefs[0].name': 'Edge',
  'gatewayApi.parentRefs[0].port': '65536',
  'ingress.className': 'NGINX',
  'image.tag': '.1.0.0',
  'ingress.hosts[0]': 'https://survey.example.org',
  'ingress.hosts[1]': '10.0.0.1',
  'ingress.hosts[2]': `${'a'.repeat(64)}.example.org`,
  'monitoring.dashboards.label': 'a label',
  'monitoring.prometheusRule.runbookBaseUrl': 'https://run books/',
  'monitoring.serviceMonitor.interval': '10m',
  'nats.account': '$SYS',
  'networkPolicy.natsTo[0].ipBlock.cidr': '999.0.0.0/8',
  'networkPolicy.postgresTo[0].ipBlock.cidr': '10.0.0.0/33',
  'postgres.database': 'survey/main',
  'postgres.owner': 'survey_gateway',
  'redis.auth.existingSecret': '',
  'redis.auth.username': 'survey:secret',
  'tls.certManager.issuerRef.name': 'My_Issuer',
};

const { helm3, helm4 } = inject('tools');
const helms = (['helm3', 'helm4'] as const).filter((name) => (name === 'helm3' ? helm3 : helm4) !== undefined);

const MISSING_PROJECTS: readonly (readonly [string, string])[] = [
  ['ci/tls-given-values.yaml', 'tls.certManager.enabled'],
  ['ci/external-secrets-values.yaml', 'externalSecrets.enabled'],
  ['ci/http-route-values.yaml', 'gatewayApi.enabled'],
  ['ci/keda-values.yaml', 'components.import-reconciler.autoscaling.type=keda'],
  ['ci/monitoring-values.yaml', 'monitoring.serviceMonitor.enabled'],
];

// Helm 4 validates the schema with another library. The messages of both must name the value.
describe.each(helms)('%s rejects', (helm) => {
  test.concurrent.each(REJECTED_VALUES)('%s', async (_, file, set, named) => {
    const values = file === undefined ? [] : [file];
    const { code, stderr } = await template({ values, set, helm });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(named) });
  });

  test.concurrent('names and addresses that cannot be', async () => {
    const set = Object.entries(MALFORMED).map(([name, value]) => `${name}=${value}`);
    const { code, stderr } = await template({ values: [EXTERNAL], set, helm });
    const named = Object.keys(MALFORMED).filter((name) =>
      stderr.includes(name.replaceAll(/\[(\d+)\]/g, '.$1').replaceAll('.', '/')),
    );
    expect({ code, named }).toEqual({ code: 1, named: Object.keys(MALFORMED) });
  });

  test.concurrent('a URL as a host without repeating its password', async () => {
    const { code, stderr } = await template({ values: [EXTERNAL], set: ['postgres.host=postgres://survey:canary@db'], helm });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.not.stringContaining('canary') });
  });

  test.concurrent.each(MISSING_PROJECTS)('%s when the cluster lacks the definitions for %s', async (file, value) => {
    const { code, stderr } = await template({ values: [file], apis: [], helm });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(value) });
  });
});

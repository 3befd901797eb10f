import { describe, expect, inject, test } from 'vitest';
import { template } from './render.ts';

const SMALL = 'profiles/small.yaml';
const EXTERNAL = 'ci/external-values.yaml';

// Each: what is wrong, the values that it is wrong in, and what the message must name.
const REFUSALS: readonly (readonly [string, string | undefined, readonly string[], string])[] = [
  ['a typo at the top', SMALL, ['logLevl=info'], 'logLevl'],
  ['a typo in a service', SMALL, ['components.gateway.replica=2'], 'replica'],
  ['a typo deep down', SMALL, ['defaults.shutdown.graceSecond=2'], 'graceSecond'],
  ['a typo in the bundled stores', SMALL, ['bundled.postgres.storage.sise=1Gi'], 'sise'],
  ['a typo beside bundled.enabled', EXTERNAL, ['bundled.enable=true'], 'enable'],
  ['a service that does not exist', SMALL, ['components.scoring.replicas=2'], 'scoring'],
  ['a setting of another service', SMALL, ['components.export.settings.importConcurrency=2'], 'settings'],
  ['a number as text', SMALL, ['components.gateway.replicas=two'], 'replicas'],
  ['a log level that does not exist', SMALL, ['logLevel=verbose'], 'logLevel'],
  ['a collector without a port', EXTERNAL, ['openTelemetry.endpoint=http://collector'], 'openTelemetry'],
  ['a sampler that does not exist', EXTERNAL, ['openTelemetry.sampler=some'], 'sampler'],
  ['no PostgreSQL', undefined, [], 'host'],
  ['no secret', EXTERNAL, ['postgres.existingSecret='], 'existingSecret'],
  ['memory without a unit', SMALL, ['components.gateway.resources.memory=256'], 'memory'],
  ['an image called latest', SMALL, ['image.tag=latest'], 'tag'],
  ['a digest that is none', SMALL, ['image.digest=sha256:abc'], 'digest'],
  [
    'fewest above most',
    EXTERNAL,
    ['components.export.autoscaling.type=hpa', 'components.export.autoscaling.minReplicas=9'],
    'components.export.autoscaling.minReplicas',
  ],
  ['two scalers', EXTERNAL, ['components.export.autoscaling.type=hpa\\,keda'], 'type'],
  ['keda for a reader', EXTERNAL, ['components.export.autoscaling.type=keda'], 'components.export.autoscaling.type'],
  [
    'keda that does not know where the lag is',
    EXTERNAL,
    ['components.import-reconciler.autoscaling.type=keda'],
    'nats.monitoringEndpoint',
  ],
  [
    'account-admin scaled',
    EXTERNAL,
    ['components.account-admin.autoscaling.type=hpa'],
    'components.account-admin.autoscaling.type',
  ],
  [
    'a grace that is too short',
    EXTERNAL,
    ['components.import-reconciler.shutdown.timeoutSeconds=60'],
    'components.import-reconciler.shutdown.graceSeconds',
  ],
  ['more connections than PostgreSQL takes', 'profiles/ha.yaml', ['postgres.maxConnections=200'], 'postgres.maxConnections'],
  [
    'more connections than the replica takes',
    'profiles/ha.yaml',
    ['postgres.replica.host=db-ro.example.org', 'postgres.replica.maxConnections=100'],
    'postgres.replica.maxConnections',
  ],
  ['a replica of the bundled PostgreSQL', SMALL, ['postgres.replica.host=db-ro.example.org'], 'postgres.replica.host'],
  ['a replica that may be as old as it likes', EXTERNAL, ['postgres.replica.maxLagSeconds=3600'], 'maxLagSeconds'],
  ['a typo in the replica', EXTERNAL, ['postgres.replica.maxLag=5'], 'maxLag'],
  [
    'answers that do not fit beside the heap',
    EXTERNAL,
    ['components.scoring-anonymity.settings.answerCacheMb=512'],
    'answerCacheMb',
  ],
  ['a key in a URL', EXTERNAL, ['presidio.url=https://user:pw@presidio.example.org'], 'presidio'],
  ['models outside, and none of them named', EXTERNAL, ['textModels.url=https://models.example.org/v1'], 'textModels.chatModel'],
  [
    'mails that wait longer at first than at most',
    EXTERNAL,
    ['components.import-reconciler.settings.mailRetryInitialSeconds=1000'],
    'mailRetryMaxSeconds',
  ],
  ['a hook before the bundled PostgreSQL', SMALL, ['migrations.mode=hook'], 'migrations.mode'],
  ['two PostgreSQLs', SMALL, ['postgres.host=db.example.org'], 'postgres.host'],
  ['two secrets for one PostgreSQL', SMALL, ['postgres.existingSecret=other'], 'existingSecret'],
  ['copies that one NATS cannot keep', SMALL, ['nats.streamReplicas=3'], 'nats.streamReplicas'],
  ['an even number of copies', EXTERNAL, ['nats.streamReplicas=2'], 'streamReplicas'],
  ['a route to no gateway', EXTERNAL, ['gatewayApi.enabled=true'], 'parentRefs'],
  ['an ingress for no host', EXTERNAL, ['ingress.enabled=true'], 'hosts'],
  ['certificates of nobody', EXTERNAL, ['tls.certManager.enabled=true'], 'name'],
  ['external secrets from nowhere', EXTERNAL, ['externalSecrets.enabled=true'], 'name'],
  [
    'an alert that does not exist, left out',
    'profiles/ha.yaml',
    ['monitoring.prometheusRule.exclude[0]=NoSuchAlert'],
    'NoSuchAlert',
  ],
  // What the API server would refuse half-way through an upgrade.
  ['a budget above 100 %', 'profiles/ha.yaml', ['defaults.podDisruptionBudget.maxUnavailable=150%'], 'maxUnavailable'],
  ['a typo in a toleration', SMALL, ['defaults.tolerations[0].key=a', 'defaults.tolerations[0].efect=NoSchedule'], 'efect'],
  [
    'a toleration with a value that its operator does not take',
    SMALL,
    ['opsTools.tolerations[0].key=a', 'opsTools.tolerations[0].operator=Exists', 'opsTools.tolerations[0].value=b'],
    'value',
  ],
  ['a typo in an affinity', SMALL, ['migrations.affinity.nodeAffinty.x=1'], 'nodeAffinty'],
  ['a typo in the toleration of a store', SMALL, ['bundled.nats.tolerations[0].kye=a'], 'kye'],
  ['a label that selects pods', SMALL, ['defaults.podLabels.app\\.kubernetes\\.io/component=x'], 'app.kubernetes.io/component'],
  ['a label with a space', SMALL, ['defaults.podLabels.team=two words'], 'team'],
  [
    'a variable with two sources',
    SMALL,
    ['defaults.extraEnv[0].name=A', 'defaults.extraEnv[0].value=b', 'defaults.extraEnv[0].valueFrom.fieldRef.fieldPath=c'],
    'extraEnv',
  ],
  ['a peer by a typo', EXTERNAL, ['networkPolicy.gatewayFrom[0].podSelector.matchLabel.a=b'], 'matchLabel'],
  ['an address range that is none', EXTERNAL, ['networkPolicy.natsTo[0].ipBlock.cidr=10.0.0.1'], 'cidr'],
  ['no service that others call', EXTERNAL, ['components.export.enabled=false'], 'components.export.enabled'],
  ['a toolbox without the service that it calls', SMALL, ['components.account-admin.enabled=false'], 'opsTools.enabled'],
  ['a port of a headless service', EXTERNAL, ['components.export.service.type=NodePort'], 'components.export.service.type'],
];

const { helm3, helm4 } = inject('tools');
const helms = (['helm3', 'helm4'] as const).filter((name) => (name === 'helm3' ? helm3 : helm4) !== undefined);

const NO_PROJECTS: readonly (readonly [string, string, string])[] = [
  ['ci/tls-given-values.yaml', 'tls.certManager.enabled', 'allowMissing.certManager=true'],
  ['ci/external-secrets-values.yaml', 'externalSecrets.enabled', 'allowMissing.externalSecrets=true'],
  ['ci/http-route-values.yaml', 'gatewayApi.enabled', 'allowMissing.gatewayApi=true'],
  ['ci/keda-values.yaml', 'components.import-reconciler.autoscaling.type=keda', 'allowMissing.keda=true'],
  ['ci/monitoring-values.yaml', 'monitoring.serviceMonitor.enabled', 'allowMissing.prometheus=true'],
];

// The schema is read by another library in Helm 4, and the messages are its own: both must name what is wrong.
describe.each(helms)('%s refuses', (helm) => {
  test.concurrent.each(REFUSALS)('%s', async (_, file, set, named) => {
    const values = file === undefined ? [] : [file];
    const { code, stderr } = await template({ values, set, helm });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(named) });
  });

  test.concurrent.each(NO_PROJECTS)('%s where the cluster does not have what %s needs', async (file, value, allow) => {
    const { code, stderr } = await template({ values: [file], apis: [], helm });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(value) });
    expect(stderr).toContain(allow);
  });
});

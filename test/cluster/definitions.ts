import { readdir, readFile } from 'node:fs/promises';

const SCHEMAS = new URL('../chart/schemas/', import.meta.url);
/** Definitions that the examples and runbooks use and whose schemas are not in the repository. */
const WITHOUT_SCHEMA = [
  'barmancloud.cnpg.io_objectstore_v1.json',
  'cert-manager.io_certificaterequest_v1.json',
  'cert-manager.io_clusterissuer_v1.json',
  'postgresql.cnpg.io_backup_v1.json',
  'postgresql.cnpg.io_scheduledbackup_v1.json',
  'postgresql.cnpg.io_pooler_v1.json',
];
const KINDS = [
  'Backup',
  'Certificate',
  'CertificateRequest',
  'Cluster',
  'ClusterIssuer',
  'ExternalSecret',
  'HTTPRoute',
  'Issuer',
  'ObjectStore',
  'PodMonitor',
  'Pooler',
  'PrometheusRule',
  'ScaledObject',
  'ScheduledBackup',
  'ServiceMonitor',
];

/** Returns the CustomResourceDefinitions of other projects, built from the chart tests' schemas. */
export async function customResourceDefinitions(): Promise<object[]> {
  const files = (await readdir(SCHEMAS)).filter((file) => file.split('_').length === 3);
  return Promise.all(
    [...files, ...WITHOUT_SCHEMA].map(async (file) => {
      const [group = '', singular = '', version = ''] = file.replace('.json', '').split('_');
      const schema: unknown = WITHOUT_SCHEMA.includes(file)
        ? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
        : JSON.parse(await readFile(new URL(file, SCHEMAS), 'utf8'), asStructural);
      const plural = `${singular}s`;
      return {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: {
          name: `${plural}.${group}`,
          labels: { 'survey-tests': 'definition' },
          annotations: { 'api-approved.kubernetes.io': 'https://kubernetes.io' },
        },
        spec: {
          group,
          scope: singular === 'clusterissuer' ? 'Cluster' : 'Namespaced',
          names: { plural, singular, kind: KINDS.find((kind) => kind.toLowerCase() === singular) },
          versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      };
    }),
  );
}

// The files are closed schemas for a validator. The API server prunes unknown fields itself, and
// rejects validation rules that are too expensive without maxItems.
function asStructural(key: string, value: unknown): unknown {
  return key === 'x-kubernetes-validations' || (key === 'additionalProperties' && value === false) ? undefined : value;
}

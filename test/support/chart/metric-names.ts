import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const CHART = new URL('../../../charts/survey/', import.meta.url);

/** Metrics that other projects export, by project. */
export const EXTERNAL_METRICS: Readonly<Record<string, readonly string[]>> = {
  'kube-state-metrics': [
    'kube_deployment_status_replicas_available',
    'kube_deployment_spec_replicas',
    'kube_deployment_status_condition',
    'kube_pod_container_status_restarts_total',
    'kube_pod_container_status_waiting_reason',
    'kube_job_failed',
    'kube_cronjob_status_last_successful_time',
    'kube_cronjob_created',
  ],
  'cert-manager': ['certmanager_certificate_expiration_timestamp_seconds'],
  CloudNativePG: [
    'cnpg_collector_last_available_backup_timestamp',
    'barman_cloud_cloudnative_pg_io_last_available_backup_timestamp',
  ],
};

/** Returns the names of all metrics that alerts and dashboards query. */
export function metricNames(): Set<string> {
  const alerts = filesIn('alerts/').map((file) => String(parse(file).expr));
  const slos = filesIn('slos/').flatMap((file) => [String(parse(file).bad), String(parse(file).all)]);
  const dashboards = filesIn('dashboards/').flatMap((file) =>
    [...file.matchAll(/"expr": "(.*)"/g)].map(([, expr = '']) => JSON.parse(`"${expr}"`)),
  );
  return new Set([...alerts, ...slos, ...dashboards].flatMap(namesIn).filter((name) => !name.startsWith('slo:')));
}

function filesIn(folder: string): string[] {
  return readdirSync(new URL(folder, CHART)).map((file) => readFileSync(new URL(`${folder}${file}`, CHART), 'utf8'));
}

// In these expressions only metric names are followed by a brace with labels.
function namesIn(expression: string): string[] {
  return [...expression.matchAll(/\b([a-z_:][a-z0-9_:]*)(?=\{)/g)].map(([, name = '']) => name);
}

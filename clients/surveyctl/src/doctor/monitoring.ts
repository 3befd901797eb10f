import { z } from 'zod';
import { concern, type Finding, ok, warningIf } from './finding.ts';

const TIMEOUT_MS = 5_000;
const SERVICES = ['gateway', 'export', 'import-reconciler', 'scoring-anonymity', 'text-analysis', 'account-admin'];

const samples = z.object({ data: z.object({ result: z.array(z.object({ metric: z.object({ service: z.string() }) })) }) });
const rules = z.object({
  data: z.object({ groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), query: z.string() })) })) }),
});

/**
 * Asks a Prometheus whether it scrapes every service and has the alerts, both of the release that
 * the selector names, such as `namespace="survey",release="survey"`.
 * @throws when it cannot be reached
 */
export async function checkMonitoring(prometheusUrl: string | undefined, selector = ''): Promise<Finding[]> {
  if (prometheusUrl === undefined) return [ok('monitoring', 'not seen: name Prometheus in PROMETHEUS_URL')];
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(new URL(path, prometheusUrl), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`Prometheus answers ${response.status}`);
    return response.json();
  };
  const pods = `count by (service) (process_cpu_seconds_total{service=~"${SERVICES.join('|')}",${selector}})`;
  const { result } = samples.parse(await ask(`/api/v1/query?query=${encodeURIComponent(pods)}`)).data;
  const scraped = new Set(result.map(({ metric }) => metric.service));
  const { groups } = rules.parse(await ask('/api/v1/rules?type=alert')).data;
  const hasAlerts = groups.some((group) =>
    group.rules.some(({ name, query }) => name === 'MetricsMissing' && query.includes(selector)),
  );
  const missing = SERVICES.filter((name) => !scraped.has(name));
  return [
    concern('services not scraped', missing, 'no alert can fire for', 'MetricsMissing'),
    warningIf(!hasAlerts, 'alerts', hasAlerts ? 'loaded' : 'Prometheus has none of the release', 'MetricsMissing'),
  ];
}

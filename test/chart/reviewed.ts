import { Document, visit } from 'yaml';
import { nameOf, type Manifest } from '../support/chart/manifest.ts';

const WIDTH = 160;
const SELECTED = ['name', 'instance', 'component'].map((name) => `app.kubernetes.io/${name}`);

/**
 * Returns a render as a reviewer reads it: few lines per object, and only what the other tests do
 * not already state in words. They state labels, namespaces and service accounts (rows.ts), alerts
 * (alerts.test.ts) and dashboards (dashboards.test.ts). A selector is reduced to the component that
 * it selects, and hashes are left out.
 */
export function reviewedRender(manifests: readonly Manifest[]): string {
  const shown = manifests.filter(
    ({ kind, metadata }) => !['ServiceAccount', 'PrometheusRule'].includes(kind) && !metadata.labels?.['grafana_dashboard'],
  );
  const objects = shown.map((manifest) => {
    const { apiVersion: _version, kind: _kind, metadata, ...content } = manifest;
    const { annotations } = metadata;
    return [nameOf(manifest), { ...(annotations && { annotations }), ...content }] as const;
  });
  const document = new Document(Object.fromEntries(objects), (key, value: unknown) => {
    if (key === 'labels') return undefined;
    return key === 'checksum/config' ? '(hash)' : selectedComponent(value);
  });
  visit(document, {
    Collection(_key, node, path) {
      const json = JSON.stringify(node.toJSON());
      const isNested = path.length > 3;
      if (isNested && json.length + path.length < WIDTH && !json.includes('\\n')) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 });
}

function selectedComponent(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const labels = new Map(Object.entries(value));
  const [name, instance, component] = SELECTED.map((label) => labels.get(label) as unknown);
  return labels.size === SELECTED.length && name === 'survey' && instance === 'survey' ? { component } : value;
}

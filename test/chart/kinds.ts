/** The built-in kinds that the charts render, as "apiVersion kind". */
export const KINDS: ReadonlySet<string> = new Set([
  'apps/v1 Deployment',
  'apps/v1 StatefulSet',
  'autoscaling/v2 HorizontalPodAutoscaler',
  'batch/v1 CronJob',
  'batch/v1 Job',
  'networking.k8s.io/v1 Ingress',
  'networking.k8s.io/v1 NetworkPolicy',
  'policy/v1 PodDisruptionBudget',
  'v1 ConfigMap',
  'v1 PersistentVolumeClaim',
  'v1 Pod',
  'v1 Secret',
  'v1 Service',
  'v1 ServiceAccount',
]);

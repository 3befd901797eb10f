{{/* The CronJob that dumps PostgreSQL; the context is that of survey-deps.stores. */}}
{{- define "survey-deps.backup" -}}
{{- $backup := .Values.postgres.backup }}
{{- $pod := include "survey-lib.podValues" (dict "defaults" .Values.defaults "own" .Values.postgres) | fromJson }}
{{- if $backup.enabled }}
{{- $context := dict "root" . "component" "backup" }}
{{- $name := include "survey-lib.storeName" (dict "root" . "suffix" "pgdump") }}
{{ include "survey-lib.serviceAccount" (merge (dict "name" $name) $context) }}
---
{{ include "survey-lib.head" (merge (dict "apiVersion" "v1" "kind" "PersistentVolumeClaim" "name" $name "annotations" (dict "helm.sh/resource-policy" "keep")) $context) }}
spec:
  accessModes: [ReadWriteOnce]
  {{- with .Values.postgres.storage.className }}
  storageClassName: {{ . }}
  {{- end }}
  resources:
    requests:
      storage: {{ $backup.size }}
---
{{ include "survey-lib.head" (merge (dict "apiVersion" "networking.k8s.io/v1" "kind" "NetworkPolicy" "name" $name) $context) }}
spec:
  podSelector:
    matchLabels:
      {{- include "survey-lib.selector" $context | nindent 6 }}
  policyTypes: [Ingress, Egress]
  egress:
    {{- include "survey-lib.egressDns" list | nindent 4 }}
    {{- include "survey-lib.egress" (dict "port" 5432 "to" (include "survey-lib.peer" (dict "root" . "component" "postgres") | fromYamlArray)) | nindent 4 }}
---
{{ include "survey-lib.head" (merge (dict "apiVersion" "batch/v1" "kind" "CronJob" "name" $name) $context) }}
spec:
  schedule: {{ $backup.schedule | quote }}
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 3600
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 3
  jobTemplate:
    spec:
      backoffLimit: 2
      activeDeadlineSeconds: 14400
      ttlSecondsAfterFinished: 604800
      template:
        metadata:
          {{- include "survey-lib.podMetadata" (merge (dict "pod" $pod) $context) | nindent 10 }}
        spec:
          {{- include "survey-lib.podBase" (dict "root" . "serviceAccount" $name "user" .Values.postgres.image.user "graceSeconds" 30 "pod" $pod) | nindent 10 }}
          restartPolicy: Never
          containers:
            - name: pgdump
              image: {{ include "survey-lib.image" (dict "root" . "image" .Values.postgres.image) }}
              # A dump that broke off never has the name of a whole one.
              command: [sh, -euc]
              args:
                - |
                  file=/backup/survey-$(date -u +%Y%m%dT%H%M%SZ).dump
                  pg_dump --format=custom --file="$file.part"
                  mv "$file.part" "$file"
                  find /backup -name 'survey-*' -mtime +{{ int $backup.keepDays }} -delete
              env:
                - { name: PGHOST, value: {{ include "survey-lib.storeName" (dict "root" . "suffix" "postgres") }} }
                - { name: PGUSER, value: survey }
                - { name: PGDATABASE, value: survey }
                - name: PGPASSWORD
                  valueFrom:
                    secretKeyRef: { name: {{ .Values.postgres.existingSecret }}, key: owner }
                {{- include "survey-lib.extra" (dict "pod" $pod "key" "extraEnv") | nindent 16 }}
              {{- with $pod.extraEnvFrom }}
              envFrom:
                {{- toYaml . | nindent 16 }}
              {{- end }}
              resources:
                {{- include "survey-lib.resources" (dict "cpu" "100m" "memory" "128Mi" "ephemeralStorage" "64Mi") | nindent 16 }}
              securityContext:
                {{- include "survey-lib.containerSecurity" . | nindent 16 }}
              volumeMounts:
                {{- include "survey-lib.extra" (dict "pod" $pod "key" "extraVolumeMounts") | nindent 16 }}
                - { name: backup, mountPath: /backup }
                - { name: tmp, mountPath: /tmp }
          volumes:
            {{- include "survey-lib.extra" (dict "pod" $pod "key" "extraVolumes") | nindent 12 }}
            - name: backup
              persistentVolumeClaim: { claimName: {{ $name }} }
            - name: tmp
              emptyDir: { sizeLimit: 64Mi }
{{- end }}
{{- end -}}

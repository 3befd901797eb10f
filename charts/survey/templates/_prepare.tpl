{{/* Pod that migrates the schema and the streams. */}}
{{- define "survey.preparePod" -}}
{{- $pod := include "survey.podValues" (dict "defaults" .Values.defaults "own" .Values.migrations) | fromJson -}}
{{- $secrets := include "survey.prepareSecrets" . -}}
{{- include "survey.podBase" (dict "root" . "serviceAccount" (include "survey.name" (dict "root" . "suffix" "prepare")) "user" .Values.image.user "graceSeconds" 30 "pod" $pod) }}
restartPolicy: Never
containers:
  - name: prepare
    image: {{ include "survey.image" (dict "root" .) }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    args: [prepare]
    env:
      {{- include "survey.replaced" (dict "items" (include "survey.prepareEnv" .) "pod" $pod "key" "extraEnv") | nindent 6 }}
    {{- include "survey.containerEnd" (dict "pod" $pod "resources" (dict "cpu" "100m" "memory" "256Mi") "mounts" (include "survey.mounts" (dict "root" . "pod" $pod "secrets" $secrets))) | nindent 4 }}
volumes:
  {{- include "survey.volumes" (dict "root" . "pod" $pod "secrets" $secrets) | nindent 2 }}
{{- end -}}

{{- define "survey.prepareEnv" -}}
- name: DATABASE_URL
  value: {{ include "survey.ownerDatabaseUrl" . }}
{{- /* `maxConnections` of a PgBouncer says nothing about the server behind it. */}}
{{- if not .Values.postgres.migrationHost }}
- name: DATABASE_CONNECTIONS
  value: {{ int .Values.postgres.maxConnections | quote }}
{{- end }}
{{- if .Values.postgres.citus.enabled }}
- name: CITUS
  value: "true"
{{- end }}
- name: NATS_URL
  value: {{ include "survey.natsUrl" (dict "root" . "user" "prepare") }}
- name: STREAM_REPLICAS
  value: {{ int .Values.nats.streamReplicas | quote }}
{{- with .Values.nats.streamMaxBytes }}
- name: STREAM_MAX_BYTES
  value: {{ toJson . | quote }}
{{- end }}
- name: EVENT_CONSUMERS
  value: {{ join "," .Values.nats.eventConsumers | quote }}
- name: WAIT_SECONDS
  value: '240'
{{- include "survey.toolEnv" (dict "root" . "secrets" (include "survey.prepareSecrets" .)) | nindent 0 }}
{{- end -}}

{{- define "survey.prepareSecrets" -}}
{{ include "survey.passwordFile" (dict "root" . "role" "owner" "env" "PGPASSWORD") }}
{{ include "survey.natsFile" (dict "root" . "user" "prepare") }}
{{- range $name, $facts := include "survey.components" . | fromYaml }}
{{ include "survey.passwordFile" (dict "root" $ "role" $facts.role "env" (printf "%s_PASSWORD" (upper $facts.role))) }}
{{- end }}
{{- end -}}

{{/* Database URL of the owner, which bypasses a PgBouncer. */}}
{{- define "survey.ownerDatabaseUrl" -}}
{{- $host := include "survey.storeHost" (dict "root" . "store" "postgres") -}}
{{- $port := .Values.postgres.port -}}
{{- if .Values.postgres.migrationHost -}}
{{- $host = .Values.postgres.migrationHost -}}
{{- $port = .Values.postgres.migrationPort -}}
{{- end -}}
{{- include "survey.databaseUrl" (dict "root" . "role" .Values.postgres.owner "host" $host "port" $port) -}}
{{- end -}}

{{/* Where `surveyctl doctor` looks whether NATS syncs each message and whether Prometheus scrapes the services. */}}
{{- define "survey.monitoringEnv" -}}
{{- with include "survey.monitoringEndpoint" . }}
- { name: NATS_MONITORING_URL, value: 'http://{{ . }}' }
{{- end }}
{{- with .Values.monitoring.prometheusUrl }}
- { name: PROMETHEUS_URL, value: {{ quote . }} }
- { name: PROMETHEUS_SELECTOR, value: 'namespace="{{ $.Release.Namespace }}",release="{{ $.Release.Name }}"' }
{{- end }}
{{- end -}}

{{/* Environment of every pod that is not a service: (dict "root" $ ["secrets" sources]). */}}
{{- define "survey.toolEnv" -}}
- name: NODE_OPTIONS
  value: --max-old-space-size-percentage=70
{{- if trim (default "" .secrets) }}
- name: SECRETS_DIR
  value: /etc/survey/secrets
{{- end }}
{{- if .root.Values.extraCa.configMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/survey/ca/ca.crt
{{- end }}
{{- end -}}

{{/* Source of a projected volume: a secret as a file that is named like its variable: (dict "env" NAME "secret" … "key" …). */}}
{{- define "survey.secretFile" -}}
- secret:
    name: {{ .secret }}
    items: [{ key: {{ .key }}, path: {{ .env }} }]
{{- end -}}

{{/* Password of a database role: (dict "root" $ "role" "survey_gateway" "env" "PGPASSWORD"). */}}
{{- define "survey.passwordFile" -}}
{{- $place := index .root.Values.postgres.passwords .role | default dict -}}
{{- include "survey.secretFile" (dict "env" .env "secret" (default .root.Values.postgres.existingSecret $place.existingSecret) "key" (default .role $place.key)) -}}
{{- end -}}

{{/* Host of a URL; an IPv6 address is written in brackets. */}}
{{- define "survey.urlHost" -}}
{{- contains ":" . | ternary (printf "[%s]" .) . -}}
{{- end -}}

{{/* Database URL: (dict "root" $ "role" … "host" … "port" …). PGPASSWORD contains the password. */}}
{{- define "survey.databaseUrl" -}}
{{- $mode := ternary "disable" .root.Values.postgres.sslMode .root.Values.bundled.enabled -}}
{{- printf "postgres://%s@%s:%d/%s?sslmode=%s" .role (include "survey.urlHost" .host) (int .port) .root.Values.postgres.database $mode -}}
{{- end -}}

{{/* URL of NATS or Redis, without the password: (dict "root" $ "store" "nats" "scheme" "nats" "secureScheme" "tls" "user" "gateway"). */}}
{{- define "survey.storeUrl" -}}
{{- $store := index .root.Values .store -}}
{{- $scheme := ternary .secureScheme .scheme (and $store.tls (not .root.Values.bundled.enabled)) -}}
{{- $user := ternary (printf "%s@" .user) "" $store.auth.enabled -}}
{{- printf "%s://%s%s:%d" $scheme $user (include "survey.storeHost" . | include "survey.urlHost") (int $store.port) -}}
{{- end -}}

{{- define "survey.natsUrl" -}}
{{- include "survey.storeUrl" (dict "root" .root "store" "nats" "scheme" "nats" "secureScheme" "tls" "user" .user) -}}
{{- end -}}

{{- define "survey.redisUrl" -}}
{{- $sentinel := .root.Values.redis.sentinel -}}
{{- $url := include "survey.storeUrl" (dict "root" .root "store" "redis" "scheme" "redis" "secureScheme" "rediss" "user" .root.Values.redis.auth.username) -}}
{{- if $sentinel.group -}}
{{- $url = printf "%s:%d/%s" (regexReplaceAll ":[0-9]+$" $url "" | replace "://" "+sentinel://") 26379 $sentinel.group -}}
{{- end -}}
{{- $url -}}
{{- end -}}

{{/* Password of a NATS user: (dict "root" $ "user" "gateway"). */}}
{{- define "survey.natsFile" -}}
{{- with .root.Values.nats.auth -}}
{{- if .enabled }}{{ include "survey.secretFile" (dict "env" "NATS_PASSWORD" "secret" .existingSecret "key" $.user) }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "survey.redisFile" -}}
{{- with .root.Values.redis.auth -}}
{{- if .enabled }}{{ include "survey.secretFile" (dict "env" "REDIS_PASSWORD" "secret" .existingSecret "key" "password") }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Environment of services and the web console alike: (dict "root" $ "name" … "shutdown" values). */}}
{{- define "survey.processSettings" -}}
SECRETS_DIR: /etc/survey/secrets
PROBE_LISTEN: '[::]:9090'
LOG_LEVEL: {{ .root.Values.logLevel }}
{{- with .root.Values.openTelemetry }}
{{- if .endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .endpoint }}
OTEL_SERVICE_NAME: {{ $.name }}
OTEL_TRACES_SAMPLER: parentbased_traceidratio
OTEL_TRACES_SAMPLER_ARG: {{ .ratio | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := include "survey.tlsSettings" .root | fromYaml }}
{{ $name }}: {{ $value }}
{{- end }}
DRAIN_DELAY_MS: {{ mul .shutdown.drainDelaySeconds 1000 | quote }}
SHUTDOWN_TIMEOUT_MS: {{ mul .shutdown.timeoutSeconds 1000 | quote }}
{{- if .root.Values.extraCa.configMap }}
NODE_EXTRA_CA_CERTS: /etc/survey/ca/ca.crt
{{- end }}
{{- end -}}

{{/* Non-secret environment of a service: (dict "root" $ "name" … "values" component values). */}}
{{- define "survey.settings" -}}
{{- $root := .root -}}
{{- $facts := .values.facts -}}
DATABASE_URL: {{ include "survey.databaseUrl" (dict "root" $root "role" $facts.role "host" (include "survey.storeHost" (dict "root" $root "store" "postgres")) "port" $root.Values.postgres.port) }}
{{- with $root.Values.postgres.replica }}
{{- if and .host $facts.replicaConnections }}
DATABASE_REPLICA_URL: {{ include "survey.databaseUrl" (dict "root" $root "role" $facts.role "host" .host "port" .port) }}
DATABASE_REPLICA_MAX_LAG_SECONDS: {{ int .maxLagSeconds | quote }}
{{- end }}
{{- end }}
NATS_URL: {{ include "survey.natsUrl" (dict "root" $root "user" .name) }}
{{- if has "redis" $facts.stores }}
REDIS_URL: {{ include "survey.redisUrl" (dict "root" $root) }}
{{- end }}
{{ include "survey.processSettings" (dict "root" $root "name" $.name "shutdown" .values.shutdown) }}
NODE_OPTIONS: {{ printf "--max-old-space-size-percentage=%d %s" (int .values.heapPercent) $facts.nodeFlags | trim }}
{{- if eq $facts.serves "http" }}
HTTP_LISTEN: '[::]:8080'
{{- include "survey.edgeSettings" $root }}
{{- else }}
GRPC_LISTEN: '[::]:50051'
{{- end }}
{{- range $facts.calls }}
{{ . | upper | replace "-" "_" }}_ADDRESS: {{ include "survey.host" (dict "root" $root "name" .) }}:50051
{{- end }}
{{- if and (eq .name "account-admin") (ne (toString $root.Values.tls.mode) "mutual") }}
ACCOUNT_ADMIN_ADDRESS: localhost:50051
{{- end }}
{{- $settings := .values.settings }}
{{- if eq .name "account-admin" }}
{{- /* The console shows how long the others keep data. */}}
{{- $imports := pick (index $root.Values.components "import-reconciler").settings "importRetentionDays" "offboardedRetentionDays" }}
{{- $settings = merge $imports (pick (index $root.Values.components "scoring-anonymity").settings "answerRetentionDays") $settings }}
{{- end }}
{{- /* Setting names become variable names: rateLimit is RATE_LIMIT. */}}
{{- range $name, $value := $settings }}
{{ snakecase $name | upper }}: {{ kindIs "string" $value | ternary $value (int $value) | quote }}
{{- end }}
{{- if has "smtp" $facts.stores }}
MAIL_FROM: {{ $root.Values.smtp.from }}
{{- if $root.Values.console.enabled }}
CONSOLE_URL: https://{{ $root.Values.console.host }}
{{- end }}
{{- if not $root.Values.smtp.enabled }}
MAIL_DIR: /tmp
{{- end }}
{{- end }}
{{- end -}}

{{/* Secrets of a service, as sources of a projected volume. */}}
{{- define "survey.serviceSecrets" -}}
{{- $values := .root.Values -}}
{{ include "survey.passwordFile" (dict "root" .root "role" .values.facts.role "env" "PGPASSWORD") }}
{{ include "survey.natsFile" (dict "root" .root "user" .name) }}
{{- if has "redis" .values.facts.stores }}
{{ include "survey.redisFile" . }}
{{- end }}
{{- if and (has "smtp" .values.facts.stores) $values.smtp.enabled }}
{{ include "survey.secretFile" (dict "env" "SMTP_URL" "secret" $values.smtp.existingSecret "key" "url") }}
{{- end }}
{{- end -}}

{{/* Secret of the mail server, which `surveyctl doctor` checks, as source of a projected volume. */}}
{{- define "survey.mailFile" -}}
{{- if .Values.smtp.enabled }}
{{ include "survey.secretFile" (dict "env" "SMTP_URL" "secret" .Values.smtp.existingSecret "key" "url") }}
{{- end }}
{{- end -}}

{{/* Resource attributes of spans: (dict "root" $ "name" … "values" component values). */}}
{{- define "survey.resourceEnv" -}}
{{- range $env, $path := dict "POD_NAME" "metadata.name" "POD_UID" "metadata.uid" "NODE_NAME" "spec.nodeName" }}
- name: {{ $env }}
  valueFrom: { fieldRef: { apiVersion: v1, fieldPath: {{ $path }} } }
{{- end }}
{{- $attributes := list
  (printf "service.version=%s" (default .root.Chart.AppVersion (default .root.Values.image.tag .values.image.tag)))
  "service.instance.id=$(POD_UID)"
  (printf "k8s.namespace.name=%s" .root.Release.Namespace)
  (printf "k8s.deployment.name=%s" (include "survey.componentName" .))
  "k8s.pod.name=$(POD_NAME)" "k8s.pod.uid=$(POD_UID)" "k8s.node.name=$(NODE_NAME)" }}
- name: OTEL_RESOURCE_ATTRIBUTES
  value: {{ join "," $attributes | quote }}
{{- end -}}

{{/*
Mounts of all containers: temporary files, certificate authority, secrets, certificate, and additional mounts.
Argument, also of the volumes: (dict "root" $ "pod" values ["name" of the pod's certificate] ["secrets" sources]).
*/}}
{{- define "survey.mounts" -}}
{{- include "survey.replaced" (dict "items" (include "survey.ownMounts" .) "pod" .pod "key" "extraVolumeMounts" "by" "mountPath") -}}
{{- end -}}

{{- define "survey.volumes" -}}
{{- include "survey.replaced" (dict "items" (include "survey.ownVolumes" .) "pod" .pod "key" "extraVolumes") -}}
{{- end -}}

{{- define "survey.ownMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if .root.Values.extraCa.configMap }}
- name: ca
  mountPath: /etc/survey/ca
  readOnly: true
{{- end }}
{{- if trim (default "" .secrets) }}
- name: secrets
  mountPath: /etc/survey/secrets
  readOnly: true
{{- end }}
{{- if include "survey.hasCertificate" . }}
- name: tls
  mountPath: /etc/survey/tls
  readOnly: true
{{- end }}
{{- end -}}

{{- define "survey.ownVolumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if .root.Values.extraCa.configMap }}
- name: ca
  configMap:
    name: {{ .root.Values.extraCa.configMap }}
{{- end }}
{{- with trim (default "" .secrets) }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- . | nindent 6 }}
{{- end }}
{{- if include "survey.hasCertificate" . }}
- name: tls
  secret:
    secretName: {{ include "survey.tlsSecret" . }}
    defaultMode: 0440
{{- end }}
{{- end -}}

{{/* Environment of the toolbox: (dict "root" $ "secrets" sources). */}}
{{- define "survey.toolboxEnv" -}}
- name: ACCOUNT_ADMIN_ADDRESS
  value: {{ include "survey.host" (dict "root" .root "name" "account-admin") }}:50051
- name: METRICS_ADDRESSES
  value: {{ include "survey.metricsAddresses" .root }}
- name: PROBE_LISTEN
  value: '[::]:9090'
- name: NATS_URL
  value: {{ include "survey.natsUrl" (dict "root" .root "user" "ops-tools") }}
{{- include "survey.monitoringEnv" .root | nindent 0 }}
{{- include "survey.toolEnv" . | nindent 0 }}
{{- include "survey.tlsEnv" .root | nindent 0 }}
{{- end -}}

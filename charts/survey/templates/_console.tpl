{{/* Non-secret environment of the web console. */}}
{{- define "survey.consoleSettings" -}}
{{- $values := .Values.console -}}
PROBE_LISTEN: '[::]:9090'
HTTP_LISTEN: '[::]:8080'
{{- include "survey.edgeSettings" . }}
REDIS_URL: {{ include "survey.redisUrl" (dict "root" .) }}
SECRETS_DIR: /etc/survey/secrets
LOG_LEVEL: {{ .Values.logLevel }}
CONSOLE_URL: https://{{ $values.host }}
{{- with first (concat .Values.gatewayApi.hostnames .Values.ingress.hosts) }}
API_URL: https://{{ . }}
{{- end }}
ACCOUNT_ADMIN_ADDRESS: {{ include "survey.host" (dict "root" . "name" "account-admin") }}:50051
SESSION_IDLE_MINUTES: {{ int $values.settings.sessionIdleMinutes | quote }}
SESSION_MAX_HOURS: {{ int $values.settings.sessionMaxHours | quote }}
SIGN_INS_PER_MINUTE: {{ int $values.settings.signInsPerMinute | quote }}
TRUSTED_PROXY_HOPS: {{ int $values.settings.trustedProxyHops | quote }}
CONSOLE_MAX_SNAPSHOT_MB: {{ int $values.settings.consoleMaxSnapshotMb | quote }}
{{- with $values.providerProxy }}
NODE_USE_ENV_PROXY: "1"
HTTPS_PROXY: {{ . | quote }}
{{- end }}
{{- with .Values.openTelemetry }}
{{- if .endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .endpoint }}
OTEL_SERVICE_NAME: console
OTEL_TRACES_SAMPLER: {{ .sampler }}
OTEL_TRACES_SAMPLER_ARG: {{ .ratio | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := include "survey.tlsSettings" . | fromYaml }}
{{ $name }}: {{ $value }}
{{- end }}
DRAIN_DELAY_MS: {{ mul .Values.defaults.shutdown.drainDelaySeconds 1000 | quote }}
SHUTDOWN_TIMEOUT_MS: {{ mul .Values.defaults.shutdown.timeoutSeconds 1000 | quote }}
{{- /* Returns the freed buffers of uploads to the kernel; by default, glibc keeps them. */}}
MALLOC_ARENA_MAX: "1"
MALLOC_MMAP_THRESHOLD_: "65536"
NODE_OPTIONS: --max-old-space-size-percentage={{ int $values.heapPercent }} --max-semi-space-size=2
{{- if .Values.extraCa.configMap }}
NODE_EXTRA_CA_CERTS: /etc/survey/ca/{{ .Values.extraCa.key }}
{{- end }}
{{- end -}}

{{/* Secrets of the console, as sources of a projected volume. */}}
{{- define "survey.consoleSecrets" -}}
{{ include "survey.secretFile" (dict "env" "CONSOLE_ISSUERS" "secret" .Values.console.existingSecret "key" "issuers") }}
{{ include "survey.secretFile" (dict "env" "CONSOLE_SESSION_KEYS" "secret" .Values.console.existingSecret "key" "session-keys") }}
{{ include "survey.redisFile" (dict "root" .) }}
{{- end -}}

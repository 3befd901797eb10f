{{/* Non-secret environment of the web console. */}}
{{- define "survey.consoleSettings" -}}
{{- $values := .Values.console -}}
HTTP_LISTEN: '[::]:8080'
{{- include "survey.edgeSettings" . }}
REDIS_URL: {{ include "survey.redisUrl" (dict "root" .) }}
CONSOLE_URL: https://{{ $values.host }}
{{- with first (concat .Values.gatewayApi.hostnames .Values.ingress.hosts) }}
API_URL: https://{{ . }}
{{- end }}
ACCOUNT_ADMIN_ADDRESS: {{ include "survey.host" (dict "root" . "name" "account-admin") }}:50051
SESSION_IDLE_MINUTES: {{ int $values.settings.sessionIdleMinutes | quote }}
SESSION_MAX_HOURS: {{ int $values.settings.sessionMaxHours | quote }}
TRUSTED_PROXY_HOPS: {{ int $values.settings.trustedProxyHops | quote }}
CONSOLE_MAX_SNAPSHOT_MB: {{ int $values.settings.consoleMaxSnapshotMb | quote }}
{{- with $values.providerProxy }}
NODE_USE_ENV_PROXY: "1"
HTTPS_PROXY: {{ . | quote }}
{{- end }}
{{ include "survey.processSettings" (dict "root" . "name" "console" "shutdown" .Values.defaults.shutdown) }}
{{- /* Returns the freed buffers of uploads to the kernel; by default, glibc keeps them. */}}
MALLOC_ARENA_MAX: "1"
MALLOC_MMAP_THRESHOLD_: "65536"
{{- /* A limit far above the 45 MiB in use only delays the collection of upload buffers. */}}
NODE_OPTIONS: --max-old-space-size-percentage=45 --max-semi-space-size=2
{{- end -}}

{{/* Secrets of the console, as sources of a projected volume. */}}
{{- define "survey.consoleSecrets" -}}
{{ include "survey.secretFile" (dict "env" "CONSOLE_ISSUERS" "secret" .Values.console.existingSecret "key" "issuers") }}
{{ include "survey.secretFile" (dict "env" "CONSOLE_SESSION_KEYS" "secret" .Values.console.existingSecret "key" "session-keys") }}
{{ include "survey.redisFile" (dict "root" .) }}
{{- end -}}

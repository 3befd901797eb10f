{{/* A `helm test` pod: (dict "root" $ "name" … "args" list ["env" YAML] ["secrets" sources]). */}}
{{- define "survey.testPod" -}}
{{- $pod := include "survey.podValues" (dict "defaults" .root.Values.defaults "own" .root.Values.tests) | fromJson -}}
{{- $annotations := merge (dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded") $pod.podAnnotations -}}
{{ include "survey.head" (dict "root" .root "component" "test" "apiVersion" "v1" "kind" "Pod" "name" (include "survey.name" (dict "root" .root "suffix" (printf "test-%s" .name))) "annotations" $annotations "labels" $pod.podLabels) }}
spec:
  {{- include "survey.podBase" (dict "root" .root "serviceAccount" (include "survey.name" (dict "root" .root "suffix" "test")) "user" .root.Values.image.user "graceSeconds" 10 "pod" $pod) | nindent 2 }}
  restartPolicy: Never
  containers:
    - name: check
      image: {{ include "survey.image" (dict "root" .root) }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      env:
        {{- $env := printf "%s\n%s\n%s" (default "" .env) (include "survey.toolEnv" .) (include "survey.tlsEnv" .root) }}
        {{- include "survey.replaced" (dict "items" $env "pod" $pod "key" "extraEnv") | nindent 8 }}
      {{- include "survey.containerEnd" (dict "pod" $pod "resources" (dict "cpu" "50m" "memory" "128Mi") "mounts" (include "survey.mounts" (dict "root" .root "name" "test" "pod" $pod "secrets" .secrets))) | nindent 6 }}
  volumes:
    {{- include "survey.volumes" (dict "root" .root "name" "test" "pod" $pod "secrets" .secrets) | nindent 4 }}
{{- end -}}

{{/* Environment of `surveyctl doctor`: all services, and the users of the stores that may inspect them. */}}
{{- define "survey.doctorEnv" -}}
{{- range $name := without (include "survey.enabledComponents" . | fromJson).names "gateway" }}
- name: {{ $name | upper | replace "-" "_" }}_ADDRESS
  value: {{ include "survey.host" (dict "root" $ "name" $name) }}:50051
{{- end }}
- name: DATABASE_URL
  value: {{ include "survey.ownerDatabaseUrl" . }}
{{- if .Values.postgres.migrationHost }}
{{- $role := index (include "survey.components" . | fromYaml) "export" "role" }}
- name: DATABASE_POOLER_URL
  value: {{ include "survey.databaseUrl" (dict "root" . "role" $role "host" .Values.postgres.host "port" .Values.postgres.port) }}
{{- end }}
- name: NATS_URL
  value: {{ include "survey.natsUrl" (dict "root" . "user" "prepare") }}
- name: REDIS_URL
  value: {{ include "survey.redisUrl" (dict "root" .) }}
{{- include "survey.monitoringEnv" . | nindent 0 }}
{{- end -}}

{{- define "survey.doctorSecrets" -}}
{{ include "survey.passwordFile" (dict "root" . "role" "owner" "env" "PGPASSWORD") }}
{{- if .Values.postgres.migrationHost }}
{{- $role := index (include "survey.components" . | fromYaml) "export" "role" }}
{{ include "survey.passwordFile" (dict "root" . "role" $role "env" "DATABASE_POOLER_PASSWORD") }}
{{- end }}
{{ include "survey.natsFile" (dict "root" . "user" "prepare") }}
{{ include "survey.redisFile" (dict "root" .) }}
{{- include "survey.mailFile" . }}
{{- end -}}

{{- define "survey-deps.natsUserNames" -}}
{{- $users := merge (include "survey-lib.busUsers" . | fromYaml) (include "survey-lib.components" . | fromYaml) -}}
{{- toJson (dict "names" (keys $users | sortAlpha)) -}}
{{- end -}}

{{- define "survey-deps.natsConfig" -}}
server_name: {{ include "survey-lib.storeName" (dict "root" . "suffix" "nats") }}
port: 4222
{{- if has "IPv6" (dig "service" "ipFamilies" list .Values.defaults) }}
host: "::"
{{- end }}
http_port: 8222
pid_file: /tmp/nats.pid
lame_duck_grace_period: 5s
lame_duck_duration: 30s
jetstream: {
  store_dir: /data
  sync_interval: always
  max_memory_store: 64MB
}
{{- if .Values.nats.auth.enabled }}
authorization: {
  users: [
    {{- include "survey-lib.natsUsers" . | nindent 4 }}
  ]
}
{{- end }}
{{- end -}}

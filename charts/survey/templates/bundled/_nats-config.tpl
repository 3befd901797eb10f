{{- define "bundled.natsUserNames" -}}
{{- $users := merge (include "survey.busUsers" . | fromYaml) (include "survey.components" . | fromYaml) -}}
{{- toJson (dict "names" (keys $users | sortAlpha)) -}}
{{- end -}}

{{- define "bundled.natsConfig" -}}
server_name: {{ include "survey.storeName" (dict "root" . "suffix" "nats") }}
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
    {{- include "survey.natsUsers" . | nindent 4 }}
  ]
}
{{- end }}
{{- end -}}

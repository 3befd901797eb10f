{{/* Secret with the certificate of a service, the toolbox or the tests: (dict "root" $ "name" "export"). */}}
{{- define "survey.tlsSecret" -}}
{{- default (include "survey-lib.name" (dict "root" .root "suffix" (printf "%s-tls" .name))) (index .root.Values.tls.existingSecrets .name) -}}
{{- end -}}

{{/* TLS settings of services and tools as YAML; empty without TLS. */}}
{{- define "survey.tlsSettings" -}}
{{- if eq .Values.tls.mode "mutual" -}}
GRPC_TLS: mutual
GRPC_CERT_FILE: /etc/survey/tls/tls.crt
GRPC_KEY_FILE: /etc/survey/tls/tls.key
GRPC_CA_FILE: /etc/survey/tls/ca.crt
{{- end -}}
{{- end -}}

{{/* The same settings for a container's env. */}}
{{- define "survey.tlsEnv" -}}
{{- range $name, $value := include "survey.tlsSettings" . | fromYaml }}
- name: {{ $name }}
  value: {{ $value }}
{{- end }}
{{- end -}}

{{/* Secret with the certificate of a service, the toolbox or the tests: (dict "root" $ "name" "export"). */}}
{{- define "survey.tlsSecret" -}}
{{- default (include "survey.name" (dict "root" .root "suffix" (printf "%s-tls" .name))) (index .root.Values.tls.existingSecrets .name) -}}
{{- end -}}

{{/* "true" if a pod has a certificate, else empty: (dict "root" $ ["name" "export"]). */}}
{{- define "survey.hasCertificate" -}}
{{- $tls := .root.Values.tls -}}
{{- if and .name (or (eq (toString $tls.mode) "mutual") (and $tls.edge (has .name (list "gateway" "console")))) }}true{{ end -}}
{{- end -}}

{{/* TLS settings of the public port of gateway and console; begins with a line break. */}}
{{- define "survey.edgeSettings" -}}
{{- if .Values.tls.edge }}
HTTP_TLS_CERT_FILE: /etc/survey/tls/tls.crt
HTTP_TLS_KEY_FILE: /etc/survey/tls/tls.key
{{- end }}
{{- end -}}

{{/* URL scheme of that port. */}}
{{- define "survey.edgeScheme" -}}
{{- ternary "https" "http" .Values.tls.edge -}}
{{- end -}}

{{/* TLS settings of services and tools as YAML; empty without TLS. */}}
{{- define "survey.tlsSettings" -}}
{{- if eq (toString .Values.tls.mode) "mutual" -}}
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

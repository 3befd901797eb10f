{{/* Lets a pod ask DNS. Argument: the peers that answer, empty for any. */}}
{{- define "survey-lib.egressDns" -}}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
  {{- with . }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* One allowed way out: (dict "port" n "to" peers); without peers any address on that port. */}}
{{- define "survey-lib.egress" -}}
- ports:
    - { protocol: TCP, port: {{ int .port }} }
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* One allowed way in: (dict "port" name-or-number "from" peers); without peers any address. */}}
{{- define "survey-lib.ingress" -}}
- ports:
    - { protocol: TCP, port: {{ .port }} }
  {{- with .from }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* The peer "pods of this component of this release": (dict "root" $ "component" …). */}}
{{- define "survey-lib.peer" -}}
- podSelector:
    matchLabels:
      {{- include "survey-lib.selector" . | nindent 6 }}
{{- end -}}

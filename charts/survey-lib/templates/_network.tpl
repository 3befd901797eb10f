{{/* IP families of a Service: its values under "service"; empty for those of the cluster. */}}
{{- define "survey.ipFamilies" -}}
{{- with .ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .ipFamilies }}
ipFamilies: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* Egress rule to DNS, whose pods listen on 5353 on OpenShift: network plugins compare the port of the pod. Argument: the DNS peers; empty: any address. */}}
{{- define "survey-lib.egressDns" -}}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
    - { protocol: UDP, port: 5353 }
    - { protocol: TCP, port: 5353 }
  {{- with . }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Egress rule: (dict "port" n "to" peers); without peers any address on that port. */}}
{{- define "survey-lib.egress" -}}
- ports:
    - { protocol: TCP, port: {{ int .port }} }
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Ingress rule: (dict "port" name-or-number "from" peers); without peers any address. */}}
{{- define "survey-lib.ingress" -}}
- ports:
    - { protocol: TCP, port: {{ .port }} }
  {{- with .from }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Peer for the pods of a component of this release: (dict "root" $ "component" …). */}}
{{- define "survey-lib.peer" -}}
- podSelector:
    matchLabels:
      {{- include "survey-lib.selector" . | nindent 6 }}
{{- end -}}

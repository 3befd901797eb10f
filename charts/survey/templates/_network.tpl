{{/* All components of the release that call a service: (dict "root" $ "name" "export"). */}}
{{- define "survey.callers" -}}
{{- $callers := list "test" -}}
{{- $name := .name -}}
{{- range $caller, $facts := include "survey.components" . | fromYaml -}}
{{- if has $name $facts.calls }}{{- $callers = append $callers $caller -}}{{- end -}}
{{- end -}}
{{- if and (eq $name "account-admin") .root.Values.console.enabled }}{{- $callers = append $callers "console" -}}{{- end -}}
{{- if and (eq $name "account-admin") .root.Values.opsTools.enabled }}{{- $callers = append $callers "ops-tools" -}}{{- end -}}
{{- toJson (dict "names" (sortAlpha $callers)) -}}
{{- end -}}

{{/* Egress rule to a store: (dict "root" $ "store" "postgres" ["facts" of a service]). */}}
{{- define "survey.egressToStore" -}}
{{- $root := .root -}}
{{- $to := index $root.Values.networkPolicy (printf "%sTo" .store) -}}
{{- if ne .store "smtp" -}}
{{- if $root.Values.bundled.enabled -}}
{{- $to = include "survey.peer" (dict "root" $root "component" .store) | fromYamlArray -}}
{{- end -}}
{{ include "survey.egress" (dict "port" (index $root.Values .store "port") "to" $to) }}
{{- if and (eq .store "redis") $root.Values.redis.sentinel.group }}
{{ include "survey.egress" (dict "port" 26379 "to" $to) }}
{{- end }}
{{- if and (eq .store "postgres") $root.Values.postgres.migrationHost (ne (int $root.Values.postgres.migrationPort) (int $root.Values.postgres.port)) }}
{{ include "survey.egress" (dict "port" $root.Values.postgres.migrationPort "to" $to) }}
{{- end }}
{{- if and (eq .store "postgres") (dig "replicaConnections" 0 (default dict .facts)) }}
{{- with $root.Values.postgres.replica }}
{{- if and .host (ne (int .port) (int $root.Values.postgres.port)) }}
{{ include "survey.egress" (dict "port" .port "to" $to) }}
{{- end }}
{{- end }}
{{- end }}
{{- else if $root.Values.smtp.enabled -}}
{{ include "survey.egress" (dict "port" $root.Values.smtp.port "to" $to) }}
{{- end }}
{{- end -}}

{{/* Network policy of pods without clients: (dict "root" $ "component" … ["calls" list] ["metricsOf" list] ["http" bool] ["monitoring" bool] "stores" list). */}}
{{- define "survey.toolPolicy" -}}
{{- $root := .root -}}
{{ include "survey.head" (merge (dict "apiVersion" "networking.k8s.io/v1" "kind" "NetworkPolicy" "name" (include "survey.name" (dict "root" .root "suffix" .component))) .) }}
spec:
  podSelector:
    matchLabels:
      {{- include "survey.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  egress:
    {{- include "survey.egressDns" .root.Values.networkPolicy.dnsTo | nindent 4 }}
    {{- if .http }}
    {{- include "survey.egress" (dict "port" 8080 "to" (include "survey.peer" (dict "root" $root "component" "gateway") | fromYamlArray)) | nindent 4 }}
    {{- end }}
    {{- range .calls }}
    {{- include "survey.egress" (dict "port" 50051 "to" (include "survey.peer" (dict "root" $root "component" .) | fromYamlArray)) | nindent 4 }}
    {{- end }}
    {{- range .metricsOf }}
    {{- include "survey.egress" (dict "port" 9090 "to" (include "survey.peer" (dict "root" $root "component" .) | fromYamlArray)) | nindent 4 }}
    {{- end }}
    {{- range .stores }}
    {{- include "survey.egressToStore" (dict "root" $root "store" .) | nindent 4 }}
    {{- end }}
    {{- if .monitoring }}
    {{- with include "survey.monitoringEndpoint" $root }}
    {{- $nats := ternary (include "survey.peer" (dict "root" $root "component" "nats") | fromYamlArray) $root.Values.networkPolicy.natsTo $root.Values.bundled.enabled }}
    {{- include "survey.egress" (dict "port" (regexFind "[0-9]+$" .) "to" $nats) | nindent 4 }}
    {{- end }}
    {{- with $root.Values.monitoring.prometheusUrl }}
    {{- include "survey.egress" (dict "port" (regexFind "[0-9]+$" .) "to" $root.Values.networkPolicy.metricsFrom) | nindent 4 }}
    {{- end }}
    {{- end }}
{{- end -}}

{{/* HTTPRoute and Ingress of a component: (dict "root" $ "component" … "hostnames" list "hosts" list "tlsSecret" … "seconds" of a request). */}}
{{- define "survey.hostRoutes" -}}
{{- $values := .root.Values -}}
{{- $name := include "survey.name" (dict "root" .root "suffix" .component) -}}
{{- if and $values.gatewayApi.enabled (include "survey.requireApi" (dict "root" .root "project" "gatewayApi" "asked" "gatewayApi.enabled")) }}
---
{{ include "survey.head" (merge (dict "apiVersion" "gateway.networking.k8s.io/v1" "kind" "HTTPRoute" "name" $name "annotations" $values.gatewayApi.annotations) .) }}
spec:
  parentRefs:
    {{- toYaml $values.gatewayApi.parentRefs | nindent 4 }}
  {{- with .hostnames }}
  hostnames:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - matches:
        - path: { type: PathPrefix, value: / }
      timeouts: { request: {{ int .seconds }}s, backendRequest: {{ int .seconds }}s }
      backendRefs:
        - { name: {{ $name }}, port: 8080 }
{{- end }}
{{- if $values.ingress.enabled }}
---
{{ include "survey.head" (merge (dict "apiVersion" "networking.k8s.io/v1" "kind" "Ingress" "name" $name "annotations" $values.ingress.annotations) .) }}
spec:
  {{- with $values.ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- with .tlsSecret }}
  tls:
    - secretName: {{ . }}
      hosts:
        {{- toYaml $.hosts | nindent 8 }}
  {{- end }}
  rules:
    {{- range .hosts }}
    - host: {{ . | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ $name }}
                port: { name: http }
    {{- end }}
{{- end }}
{{- end -}}

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
{{- define "survey.egressDns" -}}
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
{{- define "survey.egress" -}}
- ports:
    - { protocol: TCP, port: {{ int .port }} }
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Ingress rule: (dict "port" name-or-number "from" peers); without peers any address. */}}
{{- define "survey.ingress" -}}
- ports:
    - { protocol: TCP, port: {{ .port }} }
  {{- with .from }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Peer for the pods of a component of this release: (dict "root" $ "component" …). */}}
{{- define "survey.peer" -}}
- podSelector:
    matchLabels:
      {{- include "survey.selector" . | nindent 6 }}
{{- end -}}

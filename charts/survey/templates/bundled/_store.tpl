{{/* StatefulSet of a store up to its containers: (dict "root" $ "store" "postgres"). */}}
{{- define "bundled.statefulSet" -}}
{{- $values := index .root.Values.bundled .store -}}
{{- $pod := include "survey.podValues" (dict "defaults" .root.Values.defaults "own" $values) | fromJson -}}
{{- $name := include "survey.storeName" (dict "root" .root "suffix" .store) -}}
{{- $context := dict "root" .root "component" .store -}}
{{ include "survey.head" (merge (dict "apiVersion" "apps/v1" "kind" "StatefulSet" "name" $name) $context) }}
spec:
  serviceName: {{ $name }}
  replicas: 1
  minReadySeconds: 5
  revisionHistoryLimit: 5
  updateStrategy: { type: RollingUpdate }
  persistentVolumeClaimRetentionPolicy: { whenDeleted: Retain, whenScaled: Retain }
  selector:
    matchLabels:
      {{- include "survey.selector" $context | nindent 6 }}
  {{- with $values.storage }}
  {{- include "bundled.checkStorage" (dict "root" $.root "store" $.store "name" $name "storage" .) }}
  volumeClaimTemplates:
    - metadata:
        name: data
        labels:
          {{- include "survey.selector" $context | nindent 10 }}
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .className }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests:
            storage: {{ .size }}
  {{- end }}
  template:
    metadata:
      {{- $checksum := ternary (dict "checksum/config" (sha256sum (default "" .config))) dict (hasKey . "config") }}
      {{- include "survey.podMetadata" (merge (dict "pod" $pod "annotations" $checksum) $context) | nindent 6 }}
    spec:
      {{- include "survey.podBase" (dict "root" .root "serviceAccount" $name "user" $values.image.user "graceSeconds" 60 "pod" $pod) | nindent 6 }}
      topologySpreadConstraints:
        {{- include "survey.spread" (merge (dict "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway") $context) | nindent 8 }}
{{- end -}}

{{/* Fails when the existing StatefulSet has another volume, which the API server would reject halfway through an upgrade. */}}
{{- define "bundled.checkStorage" -}}
{{- $current := lookup "apps/v1" "StatefulSet" .root.Release.Namespace .name -}}
{{- range dig "spec" "volumeClaimTemplates" list $current -}}
{{- $size := .spec.resources.requests.storage -}}
{{- if ne (include "survey.mebibytes" $size) (include "survey.mebibytes" $.storage.size) -}}
{{- fail (printf "bundled.%s.storage.size is %s, but the volume has %s, and a StatefulSet cannot change it. To resize it: kubectl -n %s patch pvc data-%s-0 --patch '{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"%s\"}}}}', then kubectl -n %s delete statefulset %s --cascade=orphan, then upgrade again" $.store $.storage.size $size $.root.Release.Namespace $.name $.storage.size $.root.Release.Namespace $.name) -}}
{{- end -}}
{{- if and $.storage.className (ne (default "" .spec.storageClassName) $.storage.className) -}}
{{- fail (printf "bundled.%s.storage.className is %s, but the volume has %s, and a StatefulSet cannot change it" $.store $.storage.className (default "the cluster's class" .spec.storageClassName)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Service account, headless service and network policy of a store: (dict "root" $ "store" … "ports" (dict name number) "clients" list "peers" dict). */}}
{{- define "bundled.endpoint" -}}
{{- $root := .root -}}
{{- $name := include "survey.storeName" (dict "root" .root "suffix" .store) -}}
{{- $context := dict "root" .root "component" .store -}}
{{- $peers := .peers | default dict -}}
{{ include "survey.serviceAccount" (merge (dict "name" $name) $context) }}
---
{{ include "survey.head" (merge (dict "apiVersion" "v1" "kind" "Service" "name" $name) $context) }}
spec:
  type: ClusterIP
  clusterIP: None
  {{- include "survey.ipFamilies" (default dict .root.Values.defaults.service) | nindent 2 }}
  selector:
    {{- include "survey.selector" $context | nindent 4 }}
  ports:
    {{- range $port, $number := .ports }}
    - { name: {{ $port }}, port: {{ $number }}, targetPort: {{ $port }}, protocol: TCP }
    {{- end }}
{{- if .root.Values.networkPolicy.enabled }}
---
{{ include "survey.head" (merge (dict "apiVersion" "networking.k8s.io/v1" "kind" "NetworkPolicy" "name" $name) $context) }}
spec:
  podSelector:
    matchLabels:
      {{- include "survey.selector" $context | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports:
        - { protocol: TCP, port: {{ .store }} }
      from:
        {{- range .clients }}
        {{- include "survey.peer" (dict "root" $root "component" .) | nindent 8 }}
        {{- end }}
        {{- with index $peers .store }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- range $port, $from := omit $peers .store }}
    {{- include "survey.ingress" (dict "port" $port "from" $from) | nindent 4 }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* Components that use a store: (dict "root" $ "store" "redis"). */}}
{{- define "bundled.clients" -}}
{{- $store := .store -}}
{{- $clients := list -}}
{{- range $name, $facts := include "survey.components" .root | fromYaml -}}
{{- if has $store $facts.stores }}{{- $clients = append $clients $name -}}{{- end -}}
{{- end -}}
{{- toJson (dict "names" $clients) -}}
{{- end -}}

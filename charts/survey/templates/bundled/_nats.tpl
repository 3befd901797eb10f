{{/* NATS. */}}
{{- define "bundled.nats" -}}
{{- $values := .Values.bundled.nats }}
{{- $pod := include "survey.podValues" (dict "defaults" .Values.defaults "own" .Values.bundled.nats) | fromJson }}
{{- $clients := (include "bundled.clients" (dict "root" . "store" "nats") | fromJson).names }}
{{- $context := dict "root" . "component" "nats" }}
{{- $name := include "survey.storeName" (dict "root" . "suffix" "nats") }}
{{- $config := include "bundled.natsConfig" . }}
{{- $monitors := list (dict "namespaceSelector" (dict "matchLabels" (dict "kubernetes.io/metadata.name" "keda"))) }}
{{- range list "test" "ops-tools" }}{{- $monitors = concat $monitors (include "survey.peer" (dict "root" $ "component" .) | fromYamlArray) }}{{- end }}
{{ include "bundled.endpoint" (dict "root" . "store" "nats" "ports" (dict "nats" 4222 "monitor" 8222) "clients" (concat $clients (list "prepare" "test" "ops-tools")) "peers" (dict "nats" .Values.bundled.networkPolicy.natsFrom "monitor" (concat $monitors (default list .Values.networkPolicy.metricsFrom)))) }}
---
{{ include "survey.head" (merge (dict "apiVersion" "v1" "kind" "ConfigMap" "name" $name) $context) }}
data:
  nats.conf: |
    {{- $config | nindent 4 }}
---
{{ include "bundled.statefulSet" (dict "root" . "store" "nats" "config" $config) }}
      containers:
        - name: nats
          image: {{ include "survey.imageReference" (dict "root" . "image" $values.image) }}
          args: [--config, /etc/nats/nats.conf]
          ports:
            - { name: nats, containerPort: 4222 }
            - { name: monitor, containerPort: 8222 }
          {{- with include "survey.replaced" (dict "items" (include "bundled.natsEnv" .) "pod" $pod "key" "extraEnv") }}
          env:
            {{- . | nindent 12 }}
          {{- end }}
          startupProbe:
            httpGet: { path: /healthz, port: monitor }
            periodSeconds: 2
            failureThreshold: 90
          livenessProbe:
            httpGet: { path: '/healthz?js-enabled-only=true', port: monitor }
            periodSeconds: 20
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: '/healthz?js-server-only=true', port: monitor }
            periodSeconds: 5
            timeoutSeconds: 3
          {{- include "survey.containerEnd" (dict "pod" $pod "resources" $values.resources "mounts" (include "survey.replaced" (dict "items" (include "bundled.natsMounts" .) "pod" $pod "key" "extraVolumeMounts" "by" "mountPath"))) | nindent 10 }}
      volumes:
        {{- include "survey.replaced" (dict "items" (include "bundled.natsVolumes" .) "pod" $pod "key" "extraVolumes") | nindent 8 }}
{{- end -}}

{{- define "bundled.natsEnv" -}}
{{- if .Values.nats.auth.enabled }}
{{- range $user := (include "bundled.natsUserNames" . | fromJson).names }}
- name: {{ $user | upper | replace "-" "_" }}_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ $.Values.nats.auth.existingSecret }}, key: {{ $user }} }
{{- end }}
{{- end }}
{{- end -}}

{{- define "bundled.natsMounts" -}}
- { name: data, mountPath: /data }
- { name: config, mountPath: /etc/nats, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- end -}}

{{- define "bundled.natsVolumes" -}}
- name: config
  configMap: { name: {{ include "survey.storeName" (dict "root" . "suffix" "nats") }} }
- name: tmp
  emptyDir: { sizeLimit: 16Mi }
{{- end -}}

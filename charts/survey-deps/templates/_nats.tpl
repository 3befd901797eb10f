{{/* NATS; the context is that of survey-deps.stores. */}}
{{- define "survey-deps.nats" -}}
{{- $values := .Values.nats }}
{{- $pod := include "survey-lib.podValues" (dict "defaults" .Values.defaults "own" .Values.nats) | fromJson }}
{{- $clients := (include "survey-deps.clients" (dict "root" . "store" "nats") | fromJson).names }}
{{- $context := dict "root" . "component" "nats" }}
{{- $name := include "survey-lib.storeName" (dict "root" . "suffix" "nats") }}
{{- $config := include "survey-deps.natsConfig" . }}
{{ include "survey-deps.surroundings" (dict "root" . "store" "nats" "ports" (dict "nats" 4222 "monitor" 8222) "clients" (concat $clients (list "prepare" "test" "ops-tools")) "peers" (dict "nats" .Values.networkPolicy.natsFrom "monitor" .Values.networkPolicy.monitoringFrom)) }}
---
{{ include "survey-lib.head" (merge (dict "apiVersion" "v1" "kind" "ConfigMap" "name" $name) $context) }}
data:
  nats.conf: |
    {{- $config | nindent 4 }}
---
{{ include "survey-deps.statefulSet" (dict "root" . "store" "nats" "config" $config) }}
      containers:
        - name: nats
          image: {{ include "survey-lib.image" (dict "root" . "image" $values.image) }}
          args: [--config, /etc/nats/nats.conf]
          ports:
            - { name: nats, containerPort: 4222 }
            - { name: monitor, containerPort: 8222 }
          {{- with include "survey-lib.replaced" (dict "items" (include "survey-deps.natsEnv" .) "pod" $pod "key" "extraEnv") }}
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
          {{- with $pod.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          resources:
            {{- include "survey-lib.resources" $values.resources | nindent 12 }}
          securityContext:
            {{- include "survey-lib.containerSecurity" . | nindent 12 }}
          volumeMounts:
            {{- include "survey-lib.replaced" (dict "items" (include "survey-deps.natsMounts" .) "pod" $pod "key" "extraVolumeMounts" "by" "mountPath") | nindent 12 }}
      volumes:
        {{- include "survey-lib.replaced" (dict "items" (include "survey-deps.natsVolumes" .) "pod" $pod "key" "extraVolumes") | nindent 8 }}
{{- end -}}

{{- define "survey-deps.natsEnv" -}}
{{- if .Values.nats.auth.enabled }}
{{- range $user := (include "survey-deps.natsUserNames" . | fromJson).names }}
- name: {{ $user | upper | replace "-" "_" }}_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ $.Values.nats.auth.existingSecret }}, key: {{ $user }} }
{{- end }}
{{- end }}
{{- end -}}

{{- define "survey-deps.natsMounts" -}}
- { name: data, mountPath: /data }
- { name: config, mountPath: /etc/nats, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- end -}}

{{- define "survey-deps.natsVolumes" -}}
- name: config
  configMap: { name: {{ include "survey-lib.storeName" (dict "root" . "suffix" "nats") }} }
- name: tmp
  emptyDir: { sizeLimit: 16Mi }
{{- end -}}

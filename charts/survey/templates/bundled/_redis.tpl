{{/* Redis. */}}
{{- define "bundled.redis" -}}
{{- $values := .Values.bundled.redis }}
{{- $pod := include "survey.podValues" (dict "defaults" .Values.defaults "own" .Values.bundled.redis) | fromJson }}
{{- $clients := (include "bundled.clients" (dict "root" . "store" "redis") | fromJson).names }}
{{ include "bundled.endpoint" (dict "root" . "store" "redis" "ports" (dict "redis" 6379) "clients" (append $clients "console")) }}
---
{{ include "bundled.statefulSet" (dict "root" . "store" "redis") }}
      containers:
        - name: redis
          image: {{ include "survey.imageReference" (dict "root" . "image" $values.image) }}
          # Nothing is persisted: it only caches. The shell expands the password, so that no argument of the pod contains it.
          command: [sh, -euc]
          args:
            - |
              umask 077
              { {{- if .Values.redis.auth.enabled }} echo "requirepass $REDIS_PASSWORD";{{ end }} echo 'save ""'; echo 'appendonly no'; echo 'protected-mode no'; echo 'dir /tmp'; echo 'maxmemory {{ div (mul (include "survey.mebibytes" $values.resources.memory | int) 3) 4 }}mb'; echo 'maxmemory-policy allkeys-lru'; } > /tmp/redis.conf
              exec redis-server /tmp/redis.conf
          ports:
            - { name: redis, containerPort: 6379 }
          {{- with include "survey.replaced" (dict "items" (include "bundled.redisEnv" .) "pod" $pod "key" "extraEnv") }}
          env:
            {{- . | nindent 12 }}
          {{- end }}
          startupProbe:
            tcpSocket: { port: redis }
            periodSeconds: 1
            failureThreshold: 60
          livenessProbe:
            tcpSocket: { port: redis }
            periodSeconds: 20
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            # Also "NOAUTH" is an answer.
            exec: { command: [redis-cli, ping] }
            periodSeconds: 5
            timeoutSeconds: 3
          {{- include "survey.containerEnd" (dict "pod" $pod "resources" $values.resources "mounts" (include "survey.replaced" (dict "items" (include "bundled.redisMounts" .) "pod" $pod "key" "extraVolumeMounts" "by" "mountPath"))) | nindent 10 }}
      volumes:
        {{- include "survey.replaced" (dict "items" (include "bundled.redisVolumes" .) "pod" $pod "key" "extraVolumes") | nindent 8 }}
{{- end -}}

{{- define "bundled.redisEnv" -}}
{{- if .Values.redis.auth.enabled }}
- name: REDIS_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ .Values.redis.auth.existingSecret }}, key: password }
{{- end }}
{{- end -}}

{{- define "bundled.redisMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- end -}}

{{- define "bundled.redisVolumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 16Mi }
{{- end -}}
